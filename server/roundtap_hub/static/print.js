// A sheet's one button: the browser's own print dialog. Without scripts the browser's menu has it.
"use strict";
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}
