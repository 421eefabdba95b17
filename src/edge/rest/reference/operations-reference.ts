/** The routes that operate the service. Other rooms serve them; this document describes them next to the REST routes. */
export interface OperationsRoute {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly answers: readonly {
    readonly status: number;
    readonly description: string;
    readonly contentType: string;
    readonly example: unknown;
  }[];
}

/** Paths that answer GET but are not listed, because OpenAPI linters refuse a path that ends with a slash. */
export const PATHS_WITH_A_SLASH: readonly string[] = ['/portal/'];

export const operationsRoutes: readonly OperationsRoute[] = [
  {
    path: '/',
    operationId: 'getRoot',
    summary: 'Redirect to the portal',
    description: 'Redirects to `/portal/`.',
    answers: [{ status: 302, description: 'To `/portal/`.', contentType: 'text/plain', example: '' }],
  },
  {
    path: '/portal',
    operationId: 'getPortal',
    summary: 'The portal',
    description:
      'Redirects to `/portal/`, the web page for owners, administrators and auditors. All paths below it serve ' +
      'the same page.',
    answers: [{ status: 302, description: 'To `/portal/`.', contentType: 'text/plain', example: '' }],
  },
  {
    path: '/livez',
    operationId: 'getLiveness',
    summary: 'Check that the process runs',
    description: 'Answers 200 as long as the process runs. It checks nothing else.',
    answers: [
      {
        status: 200,
        description: 'The process is running.',
        contentType: 'application/json',
        example: { status: 'ok' },
      },
    ],
  },
  {
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Check that the process can serve',
    description:
      'Answers 200 if the database answers, its migrations are applied, and the process is not stopping.',
    answers: [
      {
        status: 200,
        description: 'The process can serve requests.',
        contentType: 'application/json',
        example: { status: 'ok' },
      },
      {
        status: 503,
        description: 'The process cannot serve requests, or it is stopping.',
        contentType: 'application/json',
        example: { status: 'unavailable' },
      },
    ],
  },
  {
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Metrics',
    description: 'The metrics of this process in the text format of Prometheus.',
    answers: [
      {
        status: 200,
        description: 'The metrics.',
        contentType: 'text/plain',
        example: 'process_cpu_seconds_total 1.42\n',
      },
    ],
  },
  {
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document',
    description: 'This OpenAPI document.',
    answers: [
      {
        status: 200,
        description: 'The document.',
        contentType: 'application/json',
        example: { openapi: '3.1.0' },
      },
    ],
  },
  {
    path: '/docs',
    operationId: 'getReference',
    summary: 'The reference page',
    description: 'This document as a web page.',
    answers: [
      {
        status: 200,
        description: 'The page.',
        contentType: 'text/html',
        example: '<!doctype html>',
      },
    ],
  },
];
