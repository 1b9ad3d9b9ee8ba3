// Runs before the first paint, so that neither the wrong theme nor the wrong
// language flashes. A file of its own because the page allows no inline script.
(() => {
  const root = document.documentElement;
  let theme = '';
  let language = '';
  try {
    theme = localStorage.getItem('parley.theme') || '';
    language = localStorage.getItem('parley.language') || '';
  } catch (_) {
    // Storage can be refused; the system's choice is used then.
  }
  const dark = theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'dark' : 'light';
  const first = language || navigator.languages?.[0] || navigator.language || 'en';
  root.lang = /^zh/i.test(first) ? 'zh-CN' : 'en';
})();
