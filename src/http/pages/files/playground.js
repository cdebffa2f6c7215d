/**
 * Adds what the reference's own script leaves out for screen readers and keyboards: names of fields that are no form fields and of buttons with an
 * icon alone, and a way into lists that scroll.
 */
const FIELDS = '[contenteditable="true"][role="combobox"]';
const BUTTONS = 'button:not([aria-label])';
/** They scroll, and so must be reached by keyboard. */
const LISTS = 'ul.endpoints:not([tabindex])';

function name(root) {
  for (const list of root.querySelectorAll(LISTS)) list.tabIndex = 0;
  for (const field of root.querySelectorAll(FIELDS)) {
    // Suggestions are shown below it, but nothing says where: a plain field is what it can be for a screen reader.
    field.setAttribute('role', 'textbox');
    field.setAttribute(
      'aria-label',
      field.closest('label, tr, div')?.querySelector('label, th')?.textContent.trim() || 'Value',
    );
  }
  for (const button of root.querySelectorAll(BUTTONS)) {
    const copies = button.className.includes('copy');
    // The text of a button that copies is hidden until it is pointed at.
    if (!copies && (button.textContent.trim() !== '' || button.title !== '')) continue;
    const does = button.hasAttribute('aria-expanded') ? 'Show or hide' : 'Action';
    button.setAttribute('aria-label', copies ? 'Copy' : does);
  }
}

let waiting = false;
new MutationObserver(() => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    name(document);
  });
}).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['role'] });
