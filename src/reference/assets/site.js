/** Theme, language of the examples, search, and the forms that send requests. */
const root = document.documentElement;

document.getElementById('theme').addEventListener('click', () => {
  const isDark =
    root.dataset.theme === '' ? matchMedia('(prefers-color-scheme: dark)').matches : root.dataset.theme === 'dark';
  root.dataset.theme = isDark ? 'light' : 'dark';
  localStorage.setItem('fairway-theme', root.dataset.theme);
});

/** Shows all examples of the page in one language. */
function chooseLanguage(language) {
  root.dataset.language = language;
  localStorage.setItem('fairway-language', language);
  for (const button of document.querySelectorAll('[data-choose]')) {
    button.setAttribute('aria-pressed', String(button.dataset.choose === language));
  }
}
chooseLanguage(root.dataset.language);
document.addEventListener('click', ({ target }) => {
  if (target.dataset?.choose) chooseLanguage(target.dataset.choose);
});

// The contents are one menu on a phone; elsewhere they are always open.
const menu = document.querySelector('.menu');
const wide = matchMedia('(min-width: 52rem)');
const openMenu = () => {
  menu.open = wide.matches;
};
wide.addEventListener('change', openMenu);
openMenu();
menu.addEventListener('click', ({ target }) => {
  if (target.closest('a') && !wide.matches) menu.open = false;
});

const box = document.querySelector('.search');
const input = document.getElementById('search');
const results = document.getElementById('results');
let index;

/** Loads the search when it is first needed. */
function loadIndex() {
  index ??= Promise.all([
    import(box.dataset.minisearch),
    fetch(box.dataset.index).then((answer) => answer.json()),
  ]).then(([{ default: MiniSearch }, entries]) => {
    const search = new MiniSearch({ fields: ['title', 'text'], storeFields: ['title', 'page'] });
    search.addAll(entries);
    return search;
  });
  return index;
}

async function showResults() {
  const search = await loadIndex();
  const words = input.value.trim();
  const options = {
    boost: { title: 5 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    combineWith: 'AND',
  };
  const found = words === '' ? [] : search.search(words, options).slice(0, 12);
  results.replaceChildren(...found.map(resultItem));
  results.hidden = words === '';
  input.setAttribute('aria-expanded', String(found.length > 0));
  if (words !== '' && found.length === 0) results.append(optionOf('Nothing found', words));
  select(found.length > 0 ? 0 : -1);
}

function optionOf(title, detail) {
  const item = document.createElement('li');
  const strong = document.createElement('strong');
  const span = document.createElement('span');
  strong.textContent = title;
  span.textContent = detail;
  item.setAttribute('role', 'option');
  item.append(strong, span);
  return item;
}

function resultItem({ id, title, page }, place) {
  const item = optionOf(title, page);
  item.id = `result-${place}`;
  item.dataset.href = `${root.dataset.base}/docs/${id}`;
  return item;
}

function select(place) {
  for (const [at, item] of [...results.children].entries()) item.setAttribute('aria-selected', String(at === place));
  const chosen = results.children[place];
  chosen?.scrollIntoView({ block: 'nearest' });
  if (chosen) input.setAttribute('aria-activedescendant', chosen.id);
  else input.removeAttribute('aria-activedescendant');
}

function closeResults() {
  results.hidden = true;
  input.setAttribute('aria-expanded', 'false');
}

function follow(item) {
  if (!item?.dataset.href) return;
  closeResults();
  location.href = item.dataset.href;
}

input.addEventListener('focus', loadIndex);
input.addEventListener('input', showResults);
input.addEventListener('keydown', (event) => {
  const items = [...results.children];
  const at = items.findIndex((item) => item.getAttribute('aria-selected') === 'true');
  if (event.key === 'ArrowDown') select(Math.min(at + 1, items.length - 1));
  else if (event.key === 'ArrowUp') select(Math.max(at - 1, 0));
  else if (event.key === 'Enter') follow(items[at]);
  else if (event.key === 'Escape') closeResults();
  else return;
  event.preventDefault();
});
results.addEventListener('click', ({ target }) => follow(target.closest('li')));
document.addEventListener('click', ({ target }) => {
  if (!box.contains(target)) closeResults();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea, select')) return;
  event.preventDefault();
  input.focus();
});

/** Keeps a form's credential and ids until the tab is closed, so that they are typed once. */
function rememberFields() {
  for (const field of document.querySelectorAll('[data-credential], [data-path]:is(input)')) {
    const name = `fairway-${field.dataset.credential ?? field.dataset.path}`;
    field.value = sessionStorage.getItem(name) ?? '';
    field.addEventListener('change', () => {
      sessionStorage.setItem(name, field.value);
      for (const other of document.querySelectorAll(
        `[data-${field.dataset.credential ? 'credential' : 'path'}]:is(input)`,
      )) {
        if ((other.dataset.credential ?? other.dataset.path) === (field.dataset.credential ?? field.dataset.path)) {
          other.value = field.value;
        }
      }
    });
  }
}
rememberFields();

document.addEventListener('change', ({ target }) => {
  if (target.matches('[data-fill]')) target.form.querySelector('[data-body]').value = target.value;
});

/** Adds a button to each block of code that copies it. Browsers offer the clipboard to secure pages only. */
function addCopyButtons() {
  if (navigator.clipboard === undefined) return;
  for (const block of document.querySelectorAll('main pre')) {
    const button = document.createElement('button');
    const frame = document.createElement('div');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1500);
    });
    frame.className = 'code';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
addCopyButtons();

function requestOf(form) {
  const fields = (name) => [...form.querySelectorAll(`[data-${name}]`)].map((field) => [field.dataset[name], field]);
  const path = fields('path').reduce(
    (text, [name, { value }]) => text.replace(`{${name}}`, encodeURIComponent(value.trim())),
    form.dataset.path,
  );
  const query = new URLSearchParams(
    fields('query')
      .filter(([, { value }]) => value !== '')
      .map(([name, { value }]) => [name, value]),
  );
  const headers = Object.fromEntries(
    fields('credential').map(([, { value }]) => ['authorization', `Bearer ${value.trim()}`]),
  );
  const [json] = fields('body');
  const parts = fields('form');
  let body;
  if (json) {
    body = json[1].value.trim() === '' ? undefined : json[1].value;
    if (body !== undefined) headers['content-type'] = 'application/json';
  } else if (parts.length > 0) {
    body = new FormData();
    for (const [name, field] of parts) if (field.value !== '') body.append(name, field.files?.[0] ?? field.value);
  }
  const search = query.size > 0 ? `?${query}` : '';
  return [`${root.dataset.base}${path}${search}`, { method: form.dataset.method, headers, body }];
}

async function textOf(answer) {
  const type = answer.headers.get('content-type') ?? '';
  if (!/json|text/.test(type)) return `${type}, ${(await answer.blob()).size} bytes`;
  const text = await answer.text();
  try {
    // Only white space is changed: a JSON round trip would change large numbers.
    return /\d{16}/.test(text) ? text : JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const output = form.querySelector('output');
  const button = form.querySelector('.send');
  const status = document.createElement('p');
  const body = document.createElement('pre');
  body.tabIndex = 0;
  button.disabled = true;
  const startedAt = performance.now();
  try {
    const answer = await fetch(...requestOf(form));
    body.textContent = await textOf(answer);
    status.textContent = `${answer.status} ${answer.statusText} · ${Math.round(performance.now() - startedAt)} ms · request ${answer.headers.get('x-request-id')}`;
  } catch (error) {
    status.textContent = `The request failed: ${error.message}`;
  }
  output.replaceChildren(status, ...(body.textContent === '' ? [] : [body]));
  button.disabled = false;
});
