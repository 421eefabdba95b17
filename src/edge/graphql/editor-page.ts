import { createHash } from 'node:crypto';
import { printSchema, type GraphQLSchema } from 'graphql';

const STYLE = `
:root { color-scheme: light dark; --line: #8a94a1; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
form { display: grid; gap: .75rem; }
label { display: grid; gap: .25rem; }
textarea, input, pre { width: 100%; padding: .5rem; border: 1px solid var(--line); font: .9rem/1.4 ui-monospace, monospace; }
textarea { resize: vertical; }
pre { min-height: 4rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
button { padding: .4rem 1rem; font: inherit; }
summary { cursor: pointer; }
@media (min-width: 60rem) { main { display: grid; grid-template-columns: 1fr 1fr; gap: 1.5rem; } }
`;

// Stores and loads nothing. A subscription is one WebSocket of graphql-transport-ws.
const SCRIPT = `
'use strict';
const at = (id) => document.getElementById(id);
const show = (value, append) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  at('answer').textContent = append ? at('answer').textContent + text + '\\n' : text + '\\n';
};
let socket;
const stop = () => {
  if (socket) socket.close();
  socket = undefined;
  at('stop').hidden = true;
};
const follow = (request, key) => {
  show('');
  at('stop').hidden = false;
  const own = new WebSocket(location.href.replace(/^http/, 'ws'), 'graphql-transport-ws');
  socket = own;
  const send = (message) => own.send(JSON.stringify(message));
  own.onopen = () => send({ type: 'connection_init', payload: key ? { authorization: 'Bearer ' + key } : {} });
  own.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === 'connection_ack') send({ id: '1', type: 'subscribe', payload: request });
    else if (message.type === 'ping') send({ type: 'pong' });
    else if (message.type === 'next') show(message.payload, true);
    else if (message.type === 'error') show({ errors: message.payload }, true);
    if (message.type === 'complete' || message.type === 'error') own.close();
  };
  own.onclose = ({ code, reason }) => {
    show('Closed: ' + code + ' ' + reason, true);
    if (socket === own) stop();
  };
};
const run = async () => {
  stop();
  const query = at('document').value;
  const key = at('key').value.trim();
  let variables;
  try {
    variables = at('variables').value.trim() === '' ? {} : JSON.parse(at('variables').value);
  } catch (error) {
    return show('The variables are not JSON: ' + error.message);
  }
  if (/^\\s*subscription\\b/.test(query)) return follow({ query, variables }, key);
  show('…');
  const headers = { 'content-type': 'application/json', ...(key ? { authorization: 'Bearer ' + key } : {}) };
  try {
    const response = await fetch(location.pathname, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
    const text = await response.text();
    try {
      show(JSON.parse(text));
    } catch {
      show(response.status + ' ' + text);
    }
  } catch (error) {
    show('No answer: ' + error.message);
  }
};
at('editor').addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
at('editor').addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void run();
});
at('stop').addEventListener('click', stop);
`;

const sha256 = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Only the page's own style and script run. It can talk to this gateway and to nothing else. */
export const EDITOR_PAGE_POLICY = [
  "default-src 'none'",
  `style-src ${sha256(STYLE)}`,
  `script-src ${sha256(SCRIPT)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const FIRST_DOCUMENT = `# Sign in with the mutation signIn, or put an API key below.
{
  me { organization { name } }
}
`;

/** A small editor for development: one HTML file that loads nothing, stores nothing and needs no package. */
export function editorPage(schema: GraphQLSchema): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lucarne GraphQL</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Lucarne GraphQL</h1>
<p>Nothing that you type here is stored. <a href="/docs">REST reference</a></p>
<main>
<form id="editor" autocomplete="off">
<label>Document (Ctrl+Enter runs it)<textarea id="document" rows="16" spellcheck="false" autocapitalize="off">${escaped(FIRST_DOCUMENT)}</textarea></label>
<label>Variables (JSON)<textarea id="variables" rows="4" spellcheck="false" autocapitalize="off"></textarea></label>
<label>API key (the session is used without one)<input id="key" type="password" autocomplete="off"></label>
<div><button>Run</button> <button id="stop" type="button" hidden>Stop</button></div>
</form>
<section aria-labelledby="answer-title">
<h2 id="answer-title">Answer</h2>
<pre id="answer" role="status" aria-live="polite" tabindex="0"></pre>
</section>
</main>
<details><summary>Schema</summary><pre tabindex="0">${escaped(printSchema(schema))}</pre></details>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
