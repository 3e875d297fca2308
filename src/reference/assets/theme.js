// Runs before the first paint, so that the chosen theme and language do not flicker.
const root = document.documentElement;
root.dataset.theme = localStorage.getItem('fairway-theme') ?? '';
root.dataset.language = localStorage.getItem('fairway-language') ?? 'sh';
