/** A request to show in several languages. */
export interface SampleRequest {
  method: string;
  /** With its parameters in braces, such as `/v1/messages/{id}`. */
  path: string;
  /** Name of the variable with the credential; null if the operation needs none. */
  credential: 'FAIRWAY_KEY' | 'FAIRWAY_ADMIN_TOKEN' | null;
  /** Value for the header `Idempotency-Key`. */
  idempotencyKey?: string;
  /** JSON body. */
  json?: unknown;
  /** Fields of a multipart form; the field `file` is a file. */
  form?: Record<string, string>;
}

export interface CodeSample {
  /** Value for `data-lang`, and the language of the fence in Markdown. */
  language: 'sh' | 'ts' | 'python' | 'php';
  title: string;
  code: string;
}

/** Returns a request as a runnable example in curl, TypeScript, Python and PHP. */
export function codeSamples(request: SampleRequest): CodeSample[] {
  return [
    { language: 'sh', title: 'curl', code: curl(request) },
    { language: 'ts', title: 'TypeScript', code: typescript(request) },
    { language: 'python', title: 'Python', code: python(request) },
    { language: 'php', title: 'PHP', code: php(request) },
  ];
}

function curl({ method, path, credential, idempotencyKey, json, form }: SampleRequest): string {
  const data = json === undefined ? [] : [`-d '${JSON.stringify(json, null, 2).replaceAll("'", `'\\''`)}'`];
  const fields = Object.entries(form ?? {}).map(
    ([name, value]) => `-F ${quoteShell(name === 'file' ? `file=@${value}` : `${name}=${value}`)}`,
  );
  const isImplied = method === 'GET' || (method === 'POST' && (json !== undefined || form !== undefined));
  return [
    `curl ${isImplied ? '' : `-X ${method} `}"$FAIRWAY_URL${path}"`,
    ...(credential === null ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...(idempotencyKey === undefined ? [] : [`-H 'Idempotency-Key: ${idempotencyKey}'`]),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`]),
    ...fields,
    ...data,
  ].join(' \\\n  ');
}

function typescript({ method, path, credential, idempotencyKey, json, form }: SampleRequest): string {
  const headers = [
    ...(credential === null ? [] : [`Authorization: \`Bearer \${process.env.${credential}}\``]),
    ...(idempotencyKey === undefined ? [] : [`'Idempotency-Key': '${idempotencyKey}'`]),
    ...(json === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(json === undefined ? [] : [`body: JSON.stringify(${indent(JSON.stringify(json, null, 2), 2)})`]),
    ...(form === undefined ? [] : ['body: form']),
  ];
  const fields = Object.entries(form ?? {}).map(([name, value]) =>
    name === 'file'
      ? `form.set('file', await openAsBlob('${value}'), '${value}');`
      : `form.set('${name}', '${value}');`,
  );
  return [
    ...(form === undefined
      ? []
      : [`import { openAsBlob } from 'node:fs';`, '', 'const form = new FormData();', ...fields]),
    `const response = await fetch(\`\${process.env.FAIRWAY_URL}${path}\`${options.length === 0 ? '' : `, {\n  ${options.join(',\n  ')},\n}`});`,
    'console.log(response.status, await response.text());',
  ].join('\n');
}

function python({ method, path, credential, idempotencyKey, json, form }: SampleRequest): string {
  const headers = [
    ...(credential === null ? [] : [`"Authorization": f"Bearer {os.environ['${credential}']}"`]),
    ...(idempotencyKey === undefined ? [] : [`"Idempotency-Key": "${idempotencyKey}"`]),
  ];
  const texts = Object.entries(form ?? {}).filter(([name]) => name !== 'file');
  const options = [
    ...(headers.length === 0 ? [] : [`headers={${headers.join(', ')}}`]),
    ...(json === undefined ? [] : [`json=${indent(pythonLiteral(json), 4)}`]),
    ...(form === undefined ? [] : [`data=${pythonLiteral(Object.fromEntries(texts))}`]),
    ...(form?.file === undefined ? [] : [`files={"file": open("${form.file}", "rb")}`]),
  ];
  return [
    'import os',
    'import requests',
    '',
    'response = requests.request(',
    `    "${method}",`,
    `    os.environ["FAIRWAY_URL"] + "${path}",`,
    ...options.map((option) => `    ${option},`),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n');
}

function php({ method, path, credential, idempotencyKey, json, form }: SampleRequest): string {
  const headers = [
    ...(credential === null ? [] : [`'Authorization: Bearer ' . getenv('${credential}')`]),
    ...(idempotencyKey === undefined ? [] : [`'Idempotency-Key: ${idempotencyKey}'`]),
    ...(json === undefined ? [] : [`'Content-Type: application/json'`]),
  ];
  const fields = Object.entries(form ?? {}).map(([name, value]) =>
    name === 'file' ? `'file' => new CURLFile('${value}')` : `'${name}' => '${value}'`,
  );
  return [
    '<?php',
    `$request = curl_init(getenv('FAIRWAY_URL') . '${path}');`,
    'curl_setopt_array($request, [',
    `    CURLOPT_CUSTOMREQUEST => '${method}',`,
    ...(headers.length === 0
      ? []
      : ['    CURLOPT_HTTPHEADER => [', ...headers.map((header) => `        ${header},`), '    ],']),
    ...(json === undefined ? [] : [`    CURLOPT_POSTFIELDS => json_encode(${indent(phpLiteral(json), 4)}),`]),
    ...(form === undefined ? [] : [`    CURLOPT_POSTFIELDS => [${fields.join(', ')}],`]),
    '    CURLOPT_RETURNTRANSFER => true,',
    ']);',
    'echo curl_exec($request);',
  ].join('\n');
}

function pythonLiteral(value: unknown): string {
  return literal(value, {
    open: '{',
    close: '}',
    pair: ': ',
    none: 'None',
    yes: 'True',
    no: 'False',
    text: JSON.stringify,
  });
}

function phpLiteral(value: unknown): string {
  const text = (one: string) => `'${one.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  return literal(value, { open: '[', close: ']', pair: ' => ', none: 'null', yes: 'true', no: 'false', text });
}

interface LiteralStyle {
  open: string;
  close: string;
  pair: string;
  none: string;
  yes: string;
  no: string;
  text: (value: string) => string;
}

function literal(value: unknown, style: LiteralStyle): string {
  if (value === null) return style.none;
  if (typeof value === 'boolean') return value ? style.yes : style.no;
  if (typeof value === 'string') return style.text(value);
  if (typeof value !== 'object') return String(value);
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((item) => literal(item, style))]
    : [
        style.open,
        style.close,
        Object.entries(value as object).map(([key, item]) => `${style.text(key)}${style.pair}${literal(item, style)}`),
      ];
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `    ${indent(part, 4)},`).join('\n')}\n${close}`;
}

/** Indents all lines of `text` but the first. */
function indent(text: string, spaces: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(spaces)}`);
}

function quoteShell(text: string): string {
  return /^[\w.=@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
