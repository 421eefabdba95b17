import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Kind, parse, type OperationDefinitionNode } from 'graphql';
import { restDocument } from '../../../src/edge/rest/documents.js';
import type { Route } from '../../../src/edge/rest/route.js';
import { routes } from '../../../src/edge/rest/routes.js';

const named = routes.map((route) => ({ name: `${route.method} ${route.path}`, route }));

function operationOf(route: Route): OperationDefinitionNode {
  const operations = parse(restDocument(route.document)).definitions.filter(
    (definition) => definition.kind === Kind.OPERATION_DEFINITION,
  );
  expect(operations).toHaveLength(1);
  return operations[0]!;
}

/** An object within the body gives a variable for each of its members. */
function variablesOf({ properties = {} }: { readonly properties?: object }): string[] {
  return Object.entries(properties).flatMap(
    ([name, property]: [string, { readonly properties?: object }]) => {
      const members = variablesOf(property);
      return members.length === 0 ? [name] : members.map((member) => `${name}_${member}`);
    },
  );
}

function variablesGivenBy(route: Route): string[] {
  const names = [route.params, route.query].flatMap((schema) => Object.keys(schema?.properties ?? {}));
  if (route.body?.as === 'input') names.push('input');
  if (route.body?.as === 'variables') {
    names.push(...variablesOf(route.body.schema));
  }
  if ('file' in route.answer) names.push('firstByte', 'endByte');
  return names.sort();
}

describe('the documents of the REST routes', () => {
  it('are those of the route table, each once', () => {
    const files = readdirSync(new URL('../../../schema/rest/', import.meta.url));
    const names = files.filter((file) => file.endsWith('.graphql')).map((file) => path.parse(file).name);
    expect(routes.map(({ document }) => document).sort()).toEqual(names.sort());
  });

  it.each(named)('declare for $name exactly the variables that the request gives', ({ route }) => {
    const declared = operationOf(route).variableDefinitions?.map(({ variable }) => variable.name.value) ?? [];
    expect([...declared].sort()).toEqual(variablesGivenBy(route));
    if (route.idempotent) expect(route.body?.as).toBe('input');
  });

  it.each(named)('read for $name with a GET, and change something with any other method', ({ route }) => {
    // A GET redirects a browser, even if a sign-in begins or ends on the way.
    const reads = route.method === 'GET' && route.answer.status !== 302;
    expect(operationOf(route).operation).toBe(reads ? 'query' : 'mutation');
  });

  it.each(named)('have exactly the path parameters of $name', ({ route }) => {
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    expect(Object.keys(route.params?.properties ?? {})).toEqual(inPath);
  });
});

describe('the rest folder', () => {
  it('imports no feature: only GraphQL and the kernel', () => {
    const directory = new URL('../../../src/edge/rest/', import.meta.url);
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    );
    const foreign = files.flatMap((file) =>
      [...readFileSync(new URL(file, directory), 'utf8').matchAll(/from '((?:\.\.\/)+[\w/.-]+)'/g)]
        .map(([, specifier]) => new URL(specifier ?? '', new URL(file, directory)).pathname)
        .filter((target) => !/\/src\/(edge\/(rest|graphql)|platform\/kernel)\//.test(target))
        .map((target) => `${file} → ${target}`),
    );
    expect(foreign).toEqual([]);
  });
});
