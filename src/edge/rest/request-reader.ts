import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import {
  badUserInput,
  invalidMember,
  invalidMembers,
  notFound,
  type LucarneError,
} from '../../platform/kernel/errors.js';
import { isJsonObject } from '../../platform/kernel/encoding/json.js';
import { explainViolation, invalidMembersOf } from '../../platform/kernel/explain-violation.js';
import type { Route, Variables } from './route.js';

/** Checks a request against its route and returns the variables of the document, or throws `BAD_USER_INPUT`. */
export function requestReader(route: Route): (request: FastifyRequest) => Variables {
  const readParams = paramsReader(route.params);
  const readQuery = queryReader(route.query);
  const readBody = bodyReader(route);
  return (request) => {
    const variables: Variables = {
      ...readParams(request.params as Readonly<Record<string, string>>),
      ...readQuery(request.query),
      ...readBody(request.body),
    };
    const key = route.idempotent ? request.headers['idempotency-key'] : undefined;
    if (key !== undefined) variables['input'] = { ...(variables['input'] as Variables), idempotencyKey: key };
    return variables;
  };
}

const MAX_NAME_LENGTH = 100;
/** The largest `Int` of GraphQL. */
const MAX_INT = 2 ** 31 - 1;

/** A path has only strings. If a parameter must be an integer and is not written as one, the path does not exist. */
function paramsReader(schema: TObject | undefined) {
  const integers = Object.entries(schema?.properties ?? {})
    .filter(([, property]) => Reflect.get(property, 'type') === 'integer')
    .map(([name]) => name);
  return (params: Readonly<Record<string, string>>): Variables => {
    const variables: Variables = { ...params };
    for (const name of integers) {
      const text = params[name] ?? '';
      if (!/^(0|[1-9]\d{0,9})$/.test(text) || Number(text) > MAX_INT) throw notFound(name);
      variables[name] = Number(text);
    }
    return variables;
  };
}

function queryReader(schema: TObject | undefined): (query: unknown) => Variables {
  const properties = schema?.properties ?? {};
  const ignoresOthers = schema !== undefined && Reflect.get(schema, 'additionalProperties') === true;
  const validator = schema && Compile(schema);
  return (query) => {
    const variables: Variables = {};
    for (const [name, value] of Object.entries(query as Variables)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!property && ignoresOthers) continue;
      if (!property) throw invalidMember(name.slice(0, MAX_NAME_LENGTH), 'is not a known query parameter');
      if (typeof value !== 'string') throw invalidMember(name, 'must be given once');
      // A query has only strings. An integer must be written as an integer.
      variables[name] =
        Reflect.get(property, 'type') === 'integer' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    }
    if (schema && validator && !validator.Check(variables)) throw invalid(schema, variables);
    return variables;
  };
}

function bodyReader(route: Route): (body: unknown) => Variables {
  const { body } = route;
  if (!body) {
    return (received) => {
      const empty = received == null || (isJsonObject(received) && Object.keys(received).length === 0);
      if (!empty && route.method !== 'GET') throw badUserInput('The body must be empty.');
      return {};
    };
  }
  const validator = Compile(body.schema);
  return (received) => {
    if (body.isParsedByOperation && received != null) return { input: received };
    const members = received === undefined && body.optional ? {} : received;
    if (!validator.Check(members)) throw invalid(body.schema, members ?? undefined);
    return body.as === 'input' ? { input: members } : variablesOf(body.schema, members);
  };
}

function invalid(schema: TObject, value: unknown): LucarneError {
  const members = invalidMembersOf(schema, value);
  const named = members.every(({ member }) => member !== '');
  return named ? invalidMembers(members) : badUserInput(explainViolation(schema, value));
}

function variablesOf({ properties }: TObject, members: Variables): Variables {
  const variables: Variables = {};
  for (const [name, value] of Object.entries(members)) {
    const schema = properties[name];
    if (schema && Reflect.get(schema, 'type') === 'object' && isJsonObject(value)) {
      for (const [member, inner] of Object.entries(variablesOf(schema as TObject, value)))
        variables[`${name}_${member}`] = inner;
    } else variables[name] = value;
  }
  return variables;
}
