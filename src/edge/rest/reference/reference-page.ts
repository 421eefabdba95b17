import { createHash } from 'node:crypto';
import { REFERENCE_STYLE } from './reference-style.js';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly default?: string | number | boolean;
}

interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

interface Answer {
  readonly description: string;
  readonly content?: Readonly<Record<string, Content>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

/** The parts of an OpenAPI document that the page shows. */
export interface ReferenceDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
    readonly schemas: Readonly<Record<string, Schema>>;
  };
}

/** The page may load, run, frame or submit nothing. Only its own style is applied. */
export const REFERENCE_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(REFERENCE_STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The reference page of an OpenAPI document: one HTML file without scripts, which loads nothing. */
export function referencePage(document: ReferenceDocument): string {
  const { info, tags, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const sections = tags.map((tag) => ({
    ...tag,
    operations: operations.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} REST reference</title>
<style>${REFERENCE_STYLE}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>${text(info.title)} REST reference</h1>
<p>Version ${text(info.version)} · <a href="/openapi.json">OpenAPI document</a></p>
</header>
<nav aria-label="Contents">
<h2>Contents</h2>
<ul>${sections.map(contentsOf).join('')}
<li><a href="#sign-in">Credentials</a></li>
<li><a href="#schemas">Types</a></li></ul>
</nav>
<main id="content">
${info.description
  .split('\n\n')
  .map((paragraph) => `<p>${prose(paragraph)}</p>`)
  .join('\n')}
${sections.map(sectionOf).join('\n')}
<section aria-labelledby="sign-in">
<h2 id="sign-in">Credentials</h2>
<dl>${Object.entries(components.securitySchemes)
    .map(([name, { description }]) => `<dt><code>${text(name)}</code></dt><dd>${prose(description)}</dd>`)
    .join('')}</dl>
</section>
<section aria-labelledby="schemas">
<h2 id="schemas">Types</h2>
${Object.entries(components.schemas)
  .map(([name, schema]) => schemaSection(name, schema))
  .join('\n')}
</section>
</main>
</body>
</html>
`;
}

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

interface Section {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Entry[];
}

function contentsOf({ name, operations }: Section): string {
  const items = operations.map(
    ({ operation }) => `<li><a href="#${text(operation.operationId)}">${text(operation.summary)}</a></li>`,
  );
  return `\n<li><a href="#tag-${text(name)}">${text(name)}</a><ul>${items.join('')}</ul></li>`;
}

function sectionOf({ name, description, operations }: Section): string {
  return `<section aria-labelledby="tag-${text(name)}">
<h2 id="tag-${text(name)}">${text(name)}</h2>
<p>${prose(description)}</p>
${operations.map(operationArticle).join('\n')}
</section>`;
}

function operationArticle({ method, path, operation }: Entry): string {
  const { operationId, summary, description, security, parameters, requestBody, responses } = operation;
  const credentials = security.flatMap((scheme) => Object.keys(scheme));
  const parts = [
    `<h3 id="${text(operationId)}">${text(summary)}</h3>`,
    `<p class="route"><strong>${text(method)}</strong> <code>${text(path)}</code></p>`,
    `<p>${prose(description)}</p>`,
    credentials.length === 0
      ? '<p>Needs no credentials.</p>'
      : `<p>Credentials: <a href="#sign-in">${credentials.map(text).join(', ')}</a>.</p>`,
  ];
  if (parameters) {
    const rows = parameters.map(({ name, in: place, required, description: meaning, schema }) => [
      `<code>${text(name)}</code>`,
      `${text(place)}${required ? ', required' : ''}`,
      typeOf(schema),
      prose(meaning),
    ]);
    parts.push('<h4>Parameters</h4>', table('Parameters', ['Name', 'In', 'Type', 'Meaning'], rows));
  }
  if (requestBody) parts.push('<h4>Body</h4>', ...Object.values(requestBody.content).map(contentOf));
  parts.push('<h4>Answers</h4>', answersOf(responses));
  return `<article aria-labelledby="${text(operationId)}">\n${parts.join('\n')}\n</article>`;
}

function answersOf(responses: Operation['responses']): string {
  const rows = Object.entries(responses).map(([status, answer]) => [
    `<code>${text(status)}</code>`,
    [...new Set(Object.values(answer.content ?? {}).map(({ schema }) => typeOf(schema)))].join(', '),
    prose(answer.description),
  ]);
  const successes = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, answer]) => Object.values(answer.content ?? {}))
    .map(examplesOf);
  return table('Answers', ['Status', 'Type', 'Meaning'], rows) + successes.join('');
}

function contentOf(content: Content): string {
  return `<p>${typeOf(content.schema)}</p>${examplesOf(content)}`;
}

function examplesOf({ examples, example }: Content): string {
  const all = Object.values(examples ?? {});
  const only = example === undefined ? [] : [{ summary: 'Example', value: example }];
  const listed = all.length > 0 ? all : only;
  return listed
    .map(({ summary, value }) => {
      const shown = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
      return `<details><summary>${text(summary)}</summary><pre tabindex="0"><code>${text(shown)}</code></pre></details>`;
    })
    .join('');
}

function schemaSection(name: string, schema: Schema): string {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([member, property]) => [
    `<code>${text(member)}</code>`,
    typeOf(property),
    required.has(member) ? 'always' : 'optional',
    prose(property.description ?? ''),
  ]);
  const members =
    rows.length > 0
      ? table(`Members of ${name}`, ['Member', 'Type', 'Present', 'Meaning'], rows)
      : `<p>${typeOf(schema)}</p>`;
  return `<section aria-labelledby="type-${text(name)}">
<h3 id="type-${text(name)}">${text(name)}</h3>
<p>${prose(schema.description ?? '')}</p>
${members}
</section>`;
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = text(schema.$ref.replace('#/components/schemas/', ''));
    return `<a href="#type-${name}">${name}</a>`;
  }
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum) return schema.enum.map((value) => `<code>${text(value)}</code>`).join(', ');
  if (schema.items) return `array of ${typeOf(schema.items)}${boundsOf(schema.minItems, schema.maxItems)}`;
  const values = Object.values(schema.patternProperties ?? {});
  if (values.length > 0) return `object of ${values.map(typeOf).join(' or ')} by name`;
  const bounds = boundsOf(schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength);
  const standard = schema.default === undefined ? '' : `, ${text(String(schema.default))} when omitted`;
  return `${text(schema.format ?? schema.type ?? 'any')}${bounds}${standard}`;
}

function boundsOf(from: number | undefined, to: number | undefined): string {
  if (from === undefined && to === undefined) return '';
  return to === undefined ? `, at least ${from}` : `, ${from ?? 0} to ${to}`;
}

function table(caption: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = headings.map((heading) => `<th scope="col">${text(heading)}</th>`).join('');
  const body = rows.map(
    ([first, ...rest]) =>
      `<tr><th scope="row">${first ?? ''}</th>${rest.map((cell) => `<td>${cell}</td>`).join('')}</tr>`,
  );
  return (
    `<div class="scroll" role="region" aria-label="${text(caption)}" tabindex="0"><table>` +
    `<caption>${text(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
  );
}

/** Text with `code` in backticks. */
function prose(markdown: string): string {
  return text(markdown).replace(/`([^`]+)`/g, '<code>$1</code>');
}

function text(plain: string): string {
  return plain
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
