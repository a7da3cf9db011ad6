"""The link to the hub: a signed feed in, reports and statuses out. Three threads that only enqueue for the unit."""

import http.client
import json
import logging
import random
import secrets
import threading
from collections.abc import Callable, Mapping
from typing import Any

from roundtap_core import messages
from roundtap_core.typed import parse_message
from roundtap_core.version import same_build, version
from roundtap_core.wire import ECHO, FEED, REQUEST, envelope, open_envelope, practice_key
from roundtap_machine.deadline_http import DeadlineConnection
from roundtap_units.fault_log import FaultLog
from roundtap_units.link import hub_connection
from roundtap_units.link.hub_address import Endpoint, HubAddress
from roundtap_units.link.hub_choice import HubChoice, UnitMemory
from roundtap_units.link.hub_time import FeedAge, HubTime, SamplePlan, mono_ms
from roundtap_units.link.outbox import Outbox
from roundtap_units.link.own_health import OwnHealth
from roundtap_units.link.report_sending import FAILURES_TO_ALARM, KINDS, ReportSender

log = logging.getLogger(__name__)

BURST_MAX = 200
PER_S = 40  # a hall's busiest table gets a few messages a second
STATUS_EVERY_S = 10.0
ANSWER_TIMEOUT_S = 5.0  # for an answer while the feed is dead: then the hub counts as dead
ANSWER_LONGEST_S = 30.0  # while the feed lives the hub is slow, not dead
ECHO_AFTER_FATE_S = 1.0
SILENCE_S = 8.0  # a feed beats every 2 s; after this long a silence it counts as dead
RETRY_S = (0.2, 3.0)
RETRY_SEND_S = (0.1, 0.4)
SLOWER_MAX = 4  # after several failures the pause grows up to this factor
TWIN_RETRY_S = 10.0  # while another unit has this one's name
HELLO_REPORTS_BYTES_MAX = 52_000
"""For a unit that was never emptied: a hello has at most 64 kB, including other content."""
LINE_BYTES_MAX = 4 * 1024 * 1024
"""Far more than the fates of all reports of an event: a fake hub must not fill the memory."""
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What reading a strange message may raise."""
FIRST = ("welcome", "twin")  # the messages that may begin a feed
TYPES: Mapping[object, type[messages.FeedMessage]] = {
    "welcome": messages.Welcome,
    "fates": messages.FatesMessage,
    "view": messages.ViewMessage,
    "hubs": messages.HubsMessage,
    "practice": messages.PracticeMessage,
}
"""Messages with content beyond that of every feed message."""

Waits = Callable[[float], bool]  # whether to keep waiting for an answer, this many seconds after the request


class FeedThrottle:
    """The permitted speed of a feed, for one reading thread: a runaway hub makes the unit pause instead of filling its
    memory."""

    def __init__(self, mono_ms: Callable[[], int]) -> None:
        self._mono_ms = mono_ms
        self._left = float(BURST_MAX)
        self._at_ms = mono_ms()

    def wait_s(self) -> float:
        """Count one message; returns the seconds to wait before reading the next."""
        now_ms = self._mono_ms()
        self._left = min(BURST_MAX, self._left + max(0, now_ms - self._at_ms) * PER_S / 1000) - 1
        self._at_ms = now_ms
        return max(0.0, -self._left / PER_S)


class StatusSender:
    """Sends one unit's status, regularly and at changes, and its requests for the hub's time. address: the unit's
    current identity. `session`: the open feed's; None while there is none. heard_time: called with each signed answer
    that has the hub's time. Sending may raise anything a network and a strange answer raise."""

    def __init__(
        self,
        address: Callable[[], HubAddress],
        outbox: Outbox,
        plan: SamplePlan,
        mono_ms: Callable[[], int],
        heard_time: Callable[[messages.TimeAnswer, hub_connection.TimedAnswer], None],
        health: OwnHealth | None = None,
    ) -> None:
        self.session: str | None = None
        self._address = address
        self._outbox = outbox
        self._plan = plan
        self._mono_ms = mono_ms
        self._on_time = heard_time
        self._health = health
        self._status: dict[str, Any] | None = None
        self._changed = False
        self._sequence = 0
        self._run = secrets.token_hex(8)
        """Names this process: only the one that asked for something can take it back."""
        self._next_ms = 0

    def send_now(self, status: Mapping[str, Any]) -> None:
        """Set the status, and send it at once."""
        self._status, self._changed = dict(status), True

    def update(self, status: Mapping[str, Any]) -> None:
        """Set the status for the next regular sending."""
        self._status = dict(status)

    def begin(self, session: str) -> None:
        """A feed was opened: its hub gets the status first."""
        self.session = session
        self._changed = self._status is not None
        if self._health is not None:
            self._health.reset()

    @property
    def has_draft(self) -> bool:
        return self._status is not None and bool(self._status.get("draft"))

    @property
    def waiting(self) -> bool:
        """Whether there is something to send, and a feed is open."""
        return self._changed and self.session is not None

    def wait_s(self, question_ms: int | None) -> float:
        """How long there is nothing to send: until the next status, or the next request for the time."""
        due = [] if question_ms is None else [question_ms]
        if self.session is not None and self._status is not None:
            due.append(self._next_ms)
        return min(STATUS_EVERY_S, max(0, min(due) - self._mono_ms()) / 1000) if due else STATUS_EVERY_S

    def due(self) -> bool:
        if self.session is None or self._status is None:
            return False
        return self._changed or self._mono_ms() >= self._next_ms

    def send(self, connection: hub_connection.PersistentConnection, waits: Waits) -> None:
        """Send the status. After a failure it stays due: a call for a judge must not wait for the next regular
        status."""
        self._changed = False
        try:
            self._post(connection, waits)
        except Exception:
            self._changed = True
            raise
        self._next_ms = self._mono_ms() + int(STATUS_EVERY_S * 1000)
        self._plan.on_status_sent(self._mono_ms())

    def _post(self, connection: hub_connection.PersistentConnection, waits: Waits) -> None:
        self._sequence += 1
        address = self._address()
        payload = {
            **(self._status or {}),
            "unit": address.unit,
            "session": self.session,
            "seq": self._sequence,
            "run": self._run,
            "waiting": len(self._outbox.waiting()),
        }
        health = self._health.changes(self._mono_ms()) if self._health is not None else None
        if health is not None:
            payload["health"] = health
        answer = connection.post("/device/status", envelope(address.key, REQUEST, payload), waits)
        echo = open_envelope(address.key, ECHO, answer.message)
        if echo is None or echo.get("seq") != payload["seq"] or echo.get("session") != payload["session"]:
            raise ValueError(f"no echo of the status: {str(answer.message)[:200]}")
        if self._health is not None and health is not None:
            self._health.acknowledge(health)
        self._on_time(parse_message(messages.TimeAnswer, echo), answer)

    def request_time(self, connection: hub_connection.PersistentConnection, waits: Waits) -> None:
        """A round trip only for the clock. Its number is used once: no other answer passes for this one's."""
        nonce, sent_ms, address = secrets.token_hex(8), self._mono_ms(), self._address()
        try:
            request = envelope(address.key, REQUEST, {"unit": address.unit, "nonce": nonce})
            answer = connection.post("/device/time", request, waits)
            content = open_envelope(address.key, ECHO, answer.message)
            if content is None or content.get("nonce") != nonce:
                raise ValueError(f"no signed time: {str(answer.message)[:200]}")
            self._on_time(parse_message(messages.TimeAnswer, content), answer)
        finally:
            self._plan.on_sampled(sent_ms, self._mono_ms())


class HubLink:
    """Keeps the unit in touch. `receive(kind, value)` is called from its threads and must only enqueue:

    "epoch" the welcome's, before everything else of a feed; "view" a table's view; "fate" a `StoredReport` with news;
    "mismatch" the hub's version where it is another build than this unit's (None: the same); "twin" whether another
    unit has this one's name; "refusal" why the hub keeps refusing this unit's messages: "key", "form", "often" or None;
    "key" (unit, key) this unit's identity from now on; "contact" nothing; "identify" nothing: an organizer wants to see
    which unit this is; "practice" [host, port, unit, key in hex], the practice hub that an organizer sends it to;
    "ended" nothing: a feed is over, or did not begin.

    memory: the unit's memory of its hubs. holds: the match on the table's screen, for the hello. renew: called before
    each feed for this unit's identity and hub from now on; None: unchanged. health: the machine's state, for the
    statuses.
    """

    def __init__(
        self,
        address: HubAddress,
        outbox: Outbox,
        receive: Callable[[str, Any], None],
        mono_ms: Callable[[], int] = mono_ms,
        memory: UnitMemory | None = None,
        holds: Callable[[], Mapping[str, Any] | None] = lambda: None,
        renew: Callable[[], HubAddress | None] = lambda: None,
        health: OwnHealth | None = None,
    ) -> None:
        self._address = address
        self._renew = renew
        self._outbox = outbox
        self._receive = receive
        self._mono_ms = mono_ms
        self._memory = memory or UnitMemory(None)
        self._holds = holds
        self._hubs = HubChoice(address.endpoints, self._memory)
        self._reports = ReportSender(lambda: self._address.key, outbox, mono_ms, self._on_echo, self._keep_waiting)
        self._throttle = FeedThrottle(mono_ms)
        self._faults = FaultLog(log, mono_ms)
        self._epoch = self._memory.epoch
        self._hellos_refused = 0
        self._refusal: str | None = None
        self._is_duplicate = False
        self.time = HubTime()
        self._stop = threading.Event()
        self._plan = SamplePlan(self.time)
        self._statuses = StatusSender(lambda: self._address, outbox, self._plan, mono_ms, self._on_time, health)
        self._boot: str | None = None
        self._work = threading.Event()
        self._reports_due = threading.Event()
        self._threads = [
            threading.Thread(target=self._run_feed, name="hub-feed", daemon=True),
            threading.Thread(
                target=self._run_sender,
                name="hub-reports",
                daemon=True,
                args=(self._send_reports, self._outbox.waiting, self._reports_due),
            ),
            threading.Thread(
                target=self._run_sender,
                name="hub-sender",
                daemon=True,
                args=(self._send_statuses, lambda: self._statuses.waiting, self._work),
            ),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._work.set()
        self._reports_due.set()

    def send_reports(self) -> None:
        self._reports_due.set()

    def send_status(self, status: Mapping[str, Any]) -> None:
        """The unit's state; the latest is sent, and repeated on every new connection."""
        self._statuses.send_now(status)
        self._work.set()
        if status.get("draft"):
            self._reports_due.set()

    def keep_status(self, status: Mapping[str, Any]) -> None:
        """The state with only its clock changed: not sent before its time."""
        self._statuses.update(status)

    # The feed: messages from the hub.

    def _run_feed(self) -> None:
        while not self._stop.is_set():
            if (here := self._renew()) is not None:
                self._switch_address(here)
            place = self._hubs.next(self._mono_ms())
            self._is_duplicate = False
            try:
                self._feed_once(place)
            except (OSError, http.client.HTTPException, *MALFORMED) as error:
                log.info("the feed broke: %s", error)
            except Exception:
                # Whatever the other side sent: a unit that stops listening would be lost for the day.
                self._faults.log_exception("the feed broke")
            self._hubs.failed(place)
            self._receive("ended", None)
            self._statuses.session = None
            if self._is_duplicate:
                self._stop.wait(TWIN_RETRY_S)
                continue
            # Sixty units must not connect at the same moment when the hub returns.
            self._stop.wait(random.uniform(*RETRY_S) if not self._outbox.waiting() else RETRY_S[0])

    def _switch_address(self, here: HubAddress) -> None:
        """The hub on this machine has restarted, with a new key for this unit."""
        self._address, self._hubs = here, HubChoice(here.endpoints, self._memory)
        self._receive("key", (here.unit, here.key))

    def _feed_once(self, place: Endpoint) -> None:
        address, nonce = self._address, secrets.token_hex(8)
        connection = DeadlineConnection(*place, SILENCE_S)
        try:
            hello = self._hello(nonce, hub_connection.fetch_challenge(connection))
            age = FeedAge(self.time)
            connection.request(
                "POST",
                "/device/feed",
                json.dumps(envelope(address.key, REQUEST, hello)),
                {"Content-Type": "application/json", "roundtap-unit": address.unit},
            )
            answer = connection.getresponse()
            if answer.status != 200:
                self._on_hello_refused(answer.status)
                raise ValueError(f"the hub answered {answer.status}: {answer.read(300)!r}")
            last = 0
            while not self._stop.is_set():
                line = answer.readline(LINE_BYTES_MAX)
                if not line:
                    return
                if not line.startswith(b"data: "):
                    continue
                message = open_envelope(address.key, FEED, json.loads(line[6:]))
                # A forged, foreign or repeated message ends the feed: the next one begins with everything.
                if message is None or message.get("nonce") != nonce or message.get("seq") != last + 1:
                    raise ValueError("a message without a right signature or place")
                if (last == 0) != (message["type"] in FIRST):
                    raise ValueError("a feed that begins with no welcome")
                last += 1
                connection.extend_deadline(SILENCE_S)
                self._stop.wait(self._throttle.wait_s())
                self.handle_message(message, place, age)
                if self._hubs.recheck_due(self._mono_ms()):
                    raise ValueError("the hub of a newer epoch is looked for")
        finally:
            connection.close()

    def _hello(self, nonce: str, challenge: str) -> dict[str, Any]:
        """The hello's content. Of very many reports: all that wait, and the newest of the others."""
        reports = self._outbox.all()
        named: list[list[str]] = []
        room = HELLO_REPORTS_BYTES_MAX
        for one in (*(one for one in reports if not one.settled), *(one for one in reversed(reports) if one.settled)):
            event = str(one.report["event"])
            room -= len(json.dumps([event, one.id])) + 2
            if room < 0:
                break
            named.append([event, one.id])
        return {
            "unit": self._address.unit,
            "nonce": nonce,
            "challenge": challenge,
            "core": version(),
            "reports": named,
            "instance": self._memory.instance,
            "epoch": self._epoch,
            "heads": self._outbox.heads(),
            "holds": self._holds(),
            "damaged": self._outbox.damaged,
        }

    def _on_hello_refused(self, status: int) -> None:
        self._hellos_refused = self._hellos_refused + 1 if status in KINDS else 0
        if self._hellos_refused >= FAILURES_TO_ALARM:
            self._tell_refusal(KINDS[status])

    def _tell_refusal(self, kind: str | None) -> None:
        if kind != self._refusal:
            self._refusal = kind
            self._receive("refusal", kind)

    def handle_message(self, message: Mapping[str, Any], place: Endpoint, age: FeedAge) -> None:
        """Handle one message of the feed, its signature verified. Raises one of MALFORMED where it ends the feed."""
        parsed = parse_message(TYPES.get(message.get("type"), messages.FeedMessage), message)
        if isinstance(parsed, messages.Welcome):
            self._check_boot(parsed.boot)
        if age.late(parsed.now_ms, self._mono_ms()):
            # It was delayed: it does not show the hub's present state.
            raise ValueError("a feed that comes late")
        if parsed.type == "twin":
            self._is_duplicate = True
            self._receive("twin", True)
            raise ValueError("another unit has this name")
        if isinstance(parsed, messages.Welcome):
            self._on_welcome(parsed, place)
        self._hubs.mark_alive(self._mono_ms())
        self._receive("contact", None)
        if isinstance(parsed, messages.FatesMessage):
            # "unknown" puts a report back among those that another thread sends at once: the oldest comes first.
            self._settle_in_order(parsed.fates)
            self._reports_due.set()
        elif isinstance(parsed, messages.ViewMessage):
            self._receive("view", parsed.view)
        elif parsed.type == "identify":
            self._receive("identify", None)
        elif isinstance(parsed, messages.PracticeMessage):
            self._receive(
                "practice",
                [place[0], parsed.port, parsed.unit, practice_key(self._address.key, parsed.unit, parsed.salt).hex()],
            )
        elif isinstance(parsed, messages.HubsMessage):
            self._hubs.add_standbys(parsed.hubs)

    def _on_welcome(self, welcome: messages.Welcome, place: Endpoint) -> None:
        if not self._hubs.accept_welcome(place, welcome.epoch, welcome.hubs, self._mono_ms()):
            raise ValueError("a hub of an epoch that this unit has left")
        self._epoch = welcome.epoch
        self._hellos_refused = 0
        self._receive("twin", False)
        self._receive("epoch", welcome.epoch)
        self._receive("mismatch", None if same_build(welcome.core, version()) else welcome.core)
        if self._reports.order.trouble() is None:
            self._tell_refusal(None)
        self._statuses.begin(welcome.session)
        self._plan.on_connected(self._mono_ms())
        self._reports.order.reset_backoff()
        self._work.set()
        self._reports_due.set()

    def _check_boot(self, boot: str | None) -> None:
        """Note the boot that the hub's clock counts from; after another one, earlier samples are void. Believed only in
        answers to our own messages: a hello, a status, a time request."""
        if boot is None or boot == self._boot:
            return
        if self._boot is not None:
            self.time.reset()
            self._plan.on_connected(self._mono_ms())
        self._boot = boot

    def _on_echo(self, echo: messages.ReportReceipt) -> None:
        self._receive("contact", None)
        self._settle(echo)
        self._outbox.flush_fates()

    def _settle_in_order(self, fates: list[messages.ReportReceipt]) -> None:
        age = {report.id: number for number, report in enumerate(self._outbox.all())}
        try:
            for echo in sorted(fates, key=lambda echo: age.get(echo.report_id, 0)):
                self._settle(echo)
        finally:
            self._outbox.flush_fates()

    def _settle(self, echo: messages.ReportReceipt) -> None:
        if self._hubs.is_superseded(echo.epoch) and echo.epoch != self._epoch:
            # It was true once: a hub restored since may have lost it.
            raise ValueError("an echo of an epoch that this unit has left")
        if (settled := self._outbox.settle(echo)) is not None:
            self._receive("fate", settled)

    # Reports and statuses: each on its own connection, where nothing is before them.

    def _run_sender(
        self,
        send: Callable[[hub_connection.PersistentConnection], None],
        waiting: Callable[[], object],
        due: threading.Event,
    ) -> None:
        """`send` waits until something is `due`; what is still `waiting` after a failure is due again."""
        connection = hub_connection.PersistentConnection(*self._hubs.current, self._mono_ms)
        failures = 0
        while not self._stop.is_set():
            try:
                send(connection)
                failures = 0
            except hub_connection.StaleConnection:
                due.set()
            except Exception as error:
                failures += 1
                self._pause(error, failures)
                if waiting():
                    due.set()
        connection.close()

    def _send_reports(self, connection: hub_connection.PersistentConnection) -> None:
        self._reports_due.wait(STATUS_EVERY_S)
        self._reports_due.clear()
        connection.move(*self._hubs.current)
        try:
            self._reports.post_all(connection)
        finally:
            if self._hellos_refused < FAILURES_TO_ALARM:
                self._tell_refusal(self._reports.order.trouble())
        if self._statuses.has_draft:
            # A result is being entered: the connection should be open when it is confirmed.
            connection.open()

    def _send_statuses(self, connection: hub_connection.PersistentConnection) -> None:
        question_ms = self._plan.due_ms() if self._statuses.session is not None else None
        called = self._work.wait(self._statuses.wait_s(question_ms))
        self._work.clear()
        connection.move(*self._hubs.current)
        if self._statuses.due():
            self._statuses.send(connection, self._keep_waiting)
        elif question_ms is not None and not called:
            self._statuses.request_time(connection, self._keep_waiting)

    def _on_time(self, time_answer: messages.TimeAnswer, answer: hub_connection.TimedAnswer) -> None:
        self._check_boot(time_answer.boot)
        if answer.warm:
            self.time.add_round_trip(time_answer.now_ms, answer.sent_ms, answer.received_ms)
        self._receive("contact", None)

    def _keep_waiting(self, waited_s: float, settled_s: float | None = None) -> bool:
        return not self._stop.is_set() and should_keep_waiting(waited_s, self._statuses.session is not None, settled_s)

    def _pause(self, error: Exception, failures: int) -> None:
        if isinstance(error, (OSError, http.client.HTTPException, *MALFORMED)):
            log.info("sending failed: %r", error)
        else:
            self._faults.log_exception("sending failed")
        self._stop.wait(random.uniform(*RETRY_SEND_S) * min(2 ** (failures - 1), SLOWER_MAX))


def should_keep_waiting(waited_s: float, hub_alive: bool, settled_s: float | None) -> bool:
    """Whether to keep waiting for an answer, this many seconds after the request. While the feed lives (`hub_alive`)
    the request is in the hub's queue, and repeating it would only lengthen that. `settled_s`: when the feed brought the
    answer's content; then the answer no longer matters."""
    if settled_s is not None:
        return waited_s < settled_s + ECHO_AFTER_FATE_S
    return waited_s < (ANSWER_LONGEST_S if hub_alive else ANSWER_TIMEOUT_S)
