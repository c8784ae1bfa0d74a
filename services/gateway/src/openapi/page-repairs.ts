/**
 * Runs in the API page and adds what its library lacks for assistive technology (WCAG 2.2, 2.1.1 and 4.1.2): copy buttons for
 * blocks of chapters, names of copy buttons that agree with their text, and the focus for examples that scroll. Regions
 * become groups, since several landmarks have the same name.
 */
export const repairs = `const labelOf = (button) => {
  const card = button.closest('[aria-labelledby]');
  const label = card && document.getElementById(card.getAttribute('aria-labelledby'));
  const isBefore = (one) => one.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING;
  const heading = [...document.querySelectorAll('h1, h2, h3')].findLast((one) => one.textContent.trim() && isBefore(one));
  return [heading, label].map((one) => one?.textContent.trim().replace(/\\s+/g, ' ')).filter(Boolean).join(', ');
};
const copyOf = (pre) => {
  const button = document.createElement('button');
  button.className = 'copy-button';
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => navigator.clipboard.writeText(pre.querySelector('code').innerText));
  return button;
};
const repair = () => {
  for (const pre of document.querySelectorAll('.markdown pre:has(code):not(:has(button))')) pre.append(copyOf(pre));
  for (const field of document.querySelectorAll('[role="combobox"]:not([aria-expanded])')) field.ariaExpanded = 'true';
  const copying = [...document.querySelectorAll('button[class*="copy-button"]')];
  for (const button of copying.filter((one) => !one.ariaLabel)) {
    const name = 'Copy: ' + labelOf(button);
    const taken = new Set(copying.map((one) => one.ariaLabel));
    let number = 1;
    while (taken.has(number === 1 ? name : name + ' (' + number + ')')) number += 1;
    button.ariaLabel = number === 1 ? name : name + ' (' + number + ')';
  }
  for (const button of document.querySelectorAll('button.show-more[aria-label]')) {
    const shown = button.innerText.trim();
    if (!button.ariaLabel.startsWith(shown)) button.setAttribute('aria-label', shown + ': ' + button.ariaLabel);
  }
  for (const part of document.querySelectorAll('.scalar-card-content:not([tabindex])')) {
    if (part.scrollHeight > part.clientHeight || part.scrollWidth > part.clientWidth) part.tabIndex = 0;
  }
  for (const region of document.querySelectorAll('[role="region"]')) region.setAttribute('role', 'group');
};
let isDue = false;
const repairSoon = () => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    repair();
  });
};
new MutationObserver(repairSoon).observe(document.documentElement, { childList: true, subtree: true });
addEventListener('resize', repairSoon);
`;
