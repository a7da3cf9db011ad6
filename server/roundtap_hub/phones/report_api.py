"""Phones' reports, answered on the event loop, so no thread waits while they are saved."""

from collections.abc import Mapping
from urllib.parse import parse_qsl

from roundtap_core.errors import Problem
from roundtap_hub.http import http_answers
from roundtap_hub.http.page_queues import LoopInbox, RequestPriority
from roundtap_hub.http.requester import language_of, words_in
from roundtap_hub.live.cached_pages import PERSONAL_HEADERS, phone_of
from roundtap_hub.phones import phone_reports
from roundtap_hub.store.service import HubStopped
from roundtap_hub.store.venue import PlayerId
from roundtap_hub.views.running_hub import RunningHub

BODY_BYTES_MAX, BODY_WITHIN_S, SAVE_S = 16 * 1024, 15.0, 10.0


class PhoneReportApi:
    """Takes reports; `precedence`: while one is handled, pages give way."""

    def __init__(self, hub: RunningHub, precedence: RequestPriority) -> None:
        self._hub = hub
        self._precedence = precedence
        self._inbox = LoopInbox()

    async def answer(
        self,
        scope: http_answers.Scope,
        receive: http_answers.Receive,
        send: http_answers.Send,
        who: PlayerId,
        token: str,
    ) -> http_answers.Receive | None:
        """None: the report was answered. Else the receive for Flask, which shows on the page what is wrong with it."""
        try:
            body = await http_answers.read_body(scope, receive, BODY_BYTES_MAX, BODY_WITHIN_S)
        except (http_answers.BodyTooLarge, http_answers.BodyTimeout):
            await http_answers.send_answer(
                send, 400, b"text/plain", b"the report did not come whole\n", [*PERSONAL_HEADERS, *http_answers.CLOSE]
            )
            return None
        fields = (
            dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=64))
            if body.count(b"&") < 64
            else {}
        )
        for_script = b"application/json" in http_answers.get_header(scope, b"accept")
        words = words_in(language_of(scope, self._hub.language))
        try:
            with self._precedence:
                fate = phone_reports.fate_json(await self._fate(who, fields, phone_of(scope)), words)
        except Problem as problem:
            if for_script:
                await http_answers.send_json(
                    send, phone_reports.error_status(problem), {"error": problem.say(words)}, PERSONAL_HEADERS
                )
                return None
            # Nothing was done; Flask shows the problem on the page.
            return _replay_body(body)
        except (HubStopped, TimeoutError):
            await http_answers.send_json(send, 503, {"error": Problem("phone_not_yet").say(words)}, PERSONAL_HEADERS)
            return None
        if for_script:
            await http_answers.send_json(send, 200, fate, PERSONAL_HEADERS)
        else:
            await http_answers.send_answer(
                send,
                303,
                b"text/plain",
                b"",
                [
                    *PERSONAL_HEADERS,
                    (b"location", f"/me/{token}/said/{fate['report_id']}".encode("latin-1", "replace")),
                ],
            )
        return None

    async def _fate(self, who: PlayerId, fields: Mapping[str, str], phone: str) -> phone_reports.PhoneReportFate:
        """Raises Problem, HubStopped, and TimeoutError where the outcome is not known yet."""
        name, body, saving = phone_reports.submit(self._hub, who, fields, phone)
        if saving is not None:
            try:
                await self._inbox.result(saving, SAVE_S)
            except Problem as problem:
                raise phone_reports.reword_problem(problem) from None
        fate = phone_reports.report_fate(self._hub.service.snapshot, who, name, body)
        if fate is None:
            raise Problem("not_saved")
        return fate


def _replay_body(body: bytes) -> http_answers.Receive:
    """A receive that returns an already read body once more."""
    parts: list[bytes] = [body]

    async def receive() -> dict[str, object]:
        if parts:
            return {"type": "http.request", "body": parts.pop(), "more_body": False}
        return {"type": "http.disconnect"}

    return receive
