/**
 * Runs in the API page, beside the library that makes it, and mends what that leaves out for assistive technology (WCAG 2.2,
 * 4.1.2): buttons that copy have no name, those that show more another one than
 * is read on them, and regions of the same name are landmarks that nobody can tell apart.
 */
export const repairs = `const repair = () => {
  for (const button of document.querySelectorAll('button[class*="copy-button"]:not([aria-label])')) {
    button.setAttribute('aria-label', 'Copy');
  }
  for (const button of document.querySelectorAll('button.show-more[aria-label]')) {
    const shown = button.innerText.trim();
    if (!button.ariaLabel.startsWith(shown)) button.setAttribute('aria-label', shown + ': ' + button.ariaLabel);
  }
  for (const region of document.querySelectorAll('[role="region"]')) region.setAttribute('role', 'group');
};
let isDue = false;
new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    repair();
  });
}).observe(document.documentElement, { childList: true, subtree: true });
`;
