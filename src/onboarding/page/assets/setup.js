/** The page of a set-up link: shares an account, and follows the steps. */

const TITLES = {
  exchange_code: 'Confirm the sign-up',
  check_token: 'Check the access',
  connect_account: 'Connect the account',
  app_fields: 'Receive messages: app',
  account_subscription: 'Receive messages: account',
  verify_number: 'Number verified',
  register_number: 'Register the number',
  test_message: 'Test message',
};
const WORDS = { waiting: 'waiting', running: 'in progress', done: 'done', failed: 'failed', skipped: 'skipped' };
const SUMMARIES = {
  running: 'In progress. You can leave this page open.',
  waiting: 'Your choice is needed.',
  failed: 'A step failed. Follow its advice, then try again.',
  done: 'Everything is set up.',
  ended: 'This set-up was ended. Ask for another link.',
};
/** Inputs of a step that can be repeated: name of the value, its label, and its kind. */
const INPUTS = {
  register_number: ['pin', 'PIN of two-step verification', 'text'],
  verify_number: ['verification_code', 'Code that the number received', 'text'],
  test_message: ['test_recipient', 'Phone number with + and country code', 'tel'],
};
const LOOK_MS = 700;

const intro = document.getElementById('intro');
const notice = document.getElementById('notice');
const connect = document.getElementById('connect');
const summary = document.getElementById('summary');
const list = document.getElementById('steps');
let shown = '';

/** Calls a path of this page. Throws an error with the gateway's words. */
async function ask(method, path, body) {
  const answer = await fetch(`setup/${path}`, {
    method,
    headers: { 'fairway-console': '1', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const value = text === '' ? undefined : JSON.parse(text);
  if (!answer.ok) throw new Error(value?.message ?? 'The gateway gave no usable answer.');
  return value;
}

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function warn(words) {
  notice.textContent = words ?? '';
  notice.hidden = !words;
}

function renderStep(step, state) {
  const item = element('li', '', { 'data-step': step.step, 'data-state': step.state });
  const heading = element('h2', TITLES[step.step] ?? step.step);
  heading.append(element('span', WORDS[step.state] ?? step.state, { class: 'state' }));
  item.append(heading);
  if (step.message) item.append(element('p', step.code ? `${step.message} (${step.code})` : step.message));
  if (step.advice) item.append(element('p', step.advice));
  const rests = state === 'failed' || state === 'waiting' || (state === 'done' && step.step === 'test_message');
  const isOpen = step.state === 'failed' || (step.state === 'waiting' && step.at !== null) || step.state === 'skipped';
  if (rests && isOpen && step.step !== 'exchange_code') item.append(repeatForm(step));
  return item;
}

/** Returns the form that repeats a step, with a choice or a value if the step takes one. */
function repeatForm(step) {
  const form = element('form', '');
  if (step.choices.length > 0) {
    const name = step.step === 'check_token' ? 'waba_id' : 'phone_number_id';
    const label = element('label', name === 'waba_id' ? 'Account' : 'Number');
    const select = element('select', '', { name });
    for (const { id, label: words } of step.choices) select.append(element('option', words, { value: id }));
    label.append(select);
    form.append(label);
  } else if (INPUTS[step.step]) {
    const [name, words, type] = INPUTS[step.step];
    const label = element('label', words);
    label.append(element('input', '', { name, type, autocomplete: 'off' }));
    form.append(label);
  }
  form.append(element('button', step.choices.length > 0 ? 'Choose' : 'Try again', { type: 'submit' }));
  if (step.step === 'verify_number') {
    const code = element('button', 'Send a code by SMS', { type: 'button' });
    code.addEventListener('click', () => void repeat(step.step, { request_code: 'SMS' }));
    form.append(code);
  }
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = [...new FormData(form)].filter(([, value]) => value !== '');
    void repeat(step.step, Object.fromEntries(given));
  });
  return form;
}

async function repeat(step, body) {
  try {
    warn();
    await ask('POST', `steps/${step}`, body);
  } catch (error) {
    warn(error.message);
  }
  await look();
}

/** Shows the state of the set-up; returns true while it changes by itself. */
async function look() {
  const view = await ask('GET', 'session');
  if (view.notice) warn(view.notice);
  const { onboarding } = view;
  const state = onboarding?.state;
  intro.textContent =
    onboarding === null
      ? `Share the WhatsApp business account of ${view.organization}. The rest happens by itself.`
      : `Set-up for ${view.organization}`;
  const mayConnect = onboarding === null || state === 'failed';
  connect.hidden = !(view.can_sign_up && mayConnect);
  connect.textContent = onboarding === null ? 'Connect with Facebook' : 'Connect again';
  if (!view.can_sign_up && onboarding === null) warn('The operator of this gateway has not set up the sign-up yet.');
  const rendered = JSON.stringify(onboarding?.steps ?? []);
  // A form that a person fills in stays as it is.
  if (rendered !== shown) {
    shown = rendered;
    list.replaceChildren(...(onboarding?.steps ?? []).map((step) => renderStep(step, state)));
  }
  summary.textContent = SUMMARIES[state] ?? '';
  return state === 'running';
}

async function follow() {
  for (;;) {
    await look().catch((error) => warn(error.message));
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

connect.addEventListener('click', async () => {
  try {
    const { url } = await ask('POST', 'dialog', {});
    location.assign(url);
  } catch (error) {
    warn(error.message);
  }
});

async function start() {
  const secret = location.hash.slice(1);
  try {
    if (secret !== '') {
      // The secret leaves the address, so that no bookmark or screenshot has it.
      history.replaceState(null, '', location.pathname);
      await ask('POST', 'session', { secret });
    }
    await look();
  } catch (error) {
    intro.textContent = 'This page opens with a set-up link.';
    warn(error.message);
    return;
  }
  await follow();
}

void start();
