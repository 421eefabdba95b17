import type { FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { Compile } from 'typebox/compile';
import { badUserInput, notFound } from '../kernel/errors.js';
import { isJsonObject } from '../kernel/json.js';
import { explainViolation } from '../kernel/explain-violation.js';
import type { Route, Variables } from './route.js';

/** Checks a request against its route and gives the variables of the document, or throws `BAD_USER_INPUT`. */
export function requestReader(route: Route): (request: FastifyRequest) => Variables {
  const readParams = paramsReader(route.params);
  const readQuery = queryReader(route.query);
  const readBody = bodyReader(route);
  return (request) => {
    const variables = {
      ...readParams(request.params as Readonly<Record<string, string>>),
      ...readQuery(request.query),
      ...readBody(request.body),
    };
    const key = route.idempotent ? request.headers['idempotency-key'] : undefined;
    return key === undefined ? variables : { ...variables, idempotencyKey: key };
  };
}

/** The largest integer of GraphQL. */
const LARGEST_INT = 2 ** 31 - 1;

/** A path has only strings: what is not written as the integer that it names is nowhere. */
function paramsReader(schema: TObject | undefined) {
  const integers = Object.entries(schema?.properties ?? {})
    .filter(([, property]) => Reflect.get(property, 'type') === 'integer')
    .map(([name]) => name);
  return (params: Readonly<Record<string, string>>): Variables => {
    const given: Variables = { ...params };
    for (const name of integers) {
      const text = params[name] ?? '';
      if (!/^(0|[1-9]\d{0,9})$/.test(text) || Number(text) > LARGEST_INT) throw notFound(name);
      given[name] = Number(text);
    }
    return given;
  };
}

function queryReader(schema: TObject | undefined): (query: unknown) => Variables {
  const properties = schema?.properties ?? {};
  const ignoresOthers = schema !== undefined && Reflect.get(schema, 'additionalProperties') === true;
  const validator = schema && Compile(schema);
  return (query) => {
    const given: Variables = {};
    for (const [name, value] of Object.entries(query as Variables)) {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!property && ignoresOthers) continue;
      if (!property) throw badUserInput(`${name.slice(0, 100)} is not a known query parameter.`);
      if (typeof value !== 'string') throw badUserInput(`${name} must be given once.`);
      // A query has only strings: an integer is one that is written as an integer.
      given[name] =
        Reflect.get(property, 'type') === 'integer' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
    }
    if (schema && validator && !validator.Check(given)) throw badUserInput(explainViolation(schema, given));
    return given;
  };
}

function bodyReader(route: Route): (body: unknown) => Variables {
  const { body } = route;
  if (!body) {
    return (given) => {
      const empty =
        given === undefined || given === null || (isJsonObject(given) && Object.keys(given).length === 0);
      if (!empty && route.method !== 'GET') throw badUserInput('The body must be empty.');
      return {};
    };
  }
  const validator = Compile(body.schema);
  return (received) => {
    const given = received === undefined && body.optional ? {} : received;
    if (!validator.Check(given)) throw badUserInput(explainViolation(body.schema, given ?? undefined));
    return body.as === 'input' ? { input: given } : variablesOf(body.schema, given);
  };
}

function variablesOf({ properties }: TObject, given: Variables): Variables {
  const variables: Variables = {};
  for (const [name, value] of Object.entries(given)) {
    if (Reflect.get(properties[name] ?? {}, 'type') === 'object' && isJsonObject(value)) {
      for (const [member, inner] of Object.entries(value)) variables[`${name}_${member}`] = inner;
    } else variables[name] = value;
  }
  return variables;
}
