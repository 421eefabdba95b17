import type { FastifyRequest } from 'fastify';

interface Members {
  [member: symbol]: unknown;
}

/**
 * A value that belongs to a request, kept as a member of it. In a `WeakMap`, V8 counts values as used until the next full garbage
 * collection; a value that leads to its request would keep the request and its answer in memory until then.
 */
export class OfRequest<Value> {
  readonly #member = Symbol();

  get(request: FastifyRequest): Value | undefined {
    return (request as FastifyRequest & Members)[this.#member] as Value | undefined;
  }

  set(request: FastifyRequest, value: Value): void {
    (request as FastifyRequest & Members)[this.#member] = value;
  }
}
