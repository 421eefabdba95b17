import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Kind, parse } from 'graphql';
import { Errors } from 'typebox/value';
import { openApiDocument, printOpenApi } from '../../../../src/edge/rest/reference/openapi.js';
import { operationsRoutes } from '../../../../src/edge/rest/reference/operations-reference.js';
import { operationIdOf } from '../../../../src/edge/rest/route.js';
import { routes } from '../../../../src/edge/rest/routes.js';
import { ERROR_REASONS } from '../../../../src/platform/kernel/errors.js';

const named = routes.map((route) => ({ name: `${route.method} ${route.path}`, route }));

interface PrintedOperation {
  readonly operationId: string;
  readonly description: string;
  readonly security: readonly object[];
  readonly tags: readonly string[];
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

const document = openApiDocument() as unknown as {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, PrintedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
};

describe('the OpenAPI document', () => {
  it('is the one in schema/openapi.json: run npm run schema if this fails', () => {
    expect(readFileSync(new URL('../../../../schema/openapi.json', import.meta.url), 'utf8')).toBe(
      printOpenApi(),
    );
  });

  it('is the same text every time', () => {
    expect(printOpenApi()).toBe(printOpenApi());
  });

  it('is OpenAPI 3.1 with exactly the routes of the table and of operations', () => {
    const printed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(document.openapi).toBe('3.1.0');
    expect(printed.sort()).toEqual(
      [...named.map(({ name }) => name), ...operationsRoutes.map(({ path }) => `GET ${path}`)].sort(),
    );
  });

  it('has a different operation id for each route, a description, and a tag that is explained', () => {
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const tags = document.tags.map(({ name }) => name);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const operation of operations) {
      expect(operation.description).not.toBe('');
      expect(tags).toEqual(expect.arrayContaining([...operation.tags]));
    }
  });

  it('requires credentials for exactly the routes that are not described as needing none', () => {
    for (const { route } of named) {
      const { security, description } = document.paths[route.path]![route.method.toLowerCase()]!;
      const says = description.includes('Needs no credentials');
      const needsNone = route.credentials === 'none';
      expect({ path: route.path, says, security }).toMatchObject({
        path: route.path,
        says: needsNone,
        security: needsNone ? [] : expect.anything(),
      });
    }
  });

  it('lists the values of GraphQL’s enums and the reasons of refusals', () => {
    const text = readFileSync(new URL('../../../../schema/schema.graphql', import.meta.url), 'utf8');
    const enums = parse(text).definitions.flatMap((definition) =>
      definition.kind === Kind.ENUM_TYPE_DEFINITION
        ? [(definition.values ?? []).map(({ name }) => name.value).sort()]
        : [],
    );
    const lists: string[][] = [];
    JSON.stringify(document, (name, value: unknown) => {
      if (name === 'enum') lists.push((value as string[]).toSorted());
      return value;
    });
    const closed = lists.filter(({ length }) => length > 1);
    expect(closed.length).toBeGreaterThan(5);
    const known = [...enums, Object.keys(ERROR_REASONS).sort()];
    expect(known).toEqual(expect.arrayContaining(closed));
  });

  it('refers only to types that it defines', () => {
    const referred = [...printOpenApi().matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining(referred));
  });

  it.each(named)('lists for $name every error response of its kind', ({ route }) => {
    const { responses } = document.paths[route.path]![route.method.toLowerCase()]!;
    const expected = ['405', '500', '503', String(route.answer.status)];
    if (!route.anonymous) expected.push('401');
    if (route.method !== 'GET') expected.push('400', '413', '415');
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected));
  });
});

describe('the examples of the OpenAPI document', () => {
  const contents = named.flatMap(({ name, route }) =>
    route.answer.status === 302 ? [] : [{ name, route, answer: route.answer }],
  );

  it.each(contents)('match their schemas for $name', ({ route, answer }) => {
    for (const [name, { value }] of Object.entries(answer.examples)) {
      expect({ name, errors: Errors(answer.schema, value) }).toEqual({ name, errors: [] });
    }
    for (const [name, { value }] of Object.entries(route.body?.examples ?? {})) {
      expect({ name, errors: Errors(route.body!.schema, value) }).toEqual({ name, errors: [] });
    }
  });

  it.each(contents)('have only members of the schema for $name', ({ answer }) => {
    const { schema } = answer as { schema: { properties?: object; items?: { properties?: object } } };
    const known = Object.keys((schema.items ?? schema).properties ?? {});
    for (const { value } of Object.values(answer.examples)) {
      for (const object of [value].flat().filter((item) => typeof item === 'object'))
        expect(known).toEqual(expect.arrayContaining(Object.keys(object as object)));
    }
  });

  it.each(contents)('exist for the response and body of $name', ({ route, answer }) => {
    expect(Object.keys(answer.examples)).not.toEqual([]);
    if (route.body) expect(Object.keys(route.body.examples)).not.toEqual([]);
    expect(operationIdOf(route)).toMatch(/^[a-z][A-Za-z]+$/);
  });
});
