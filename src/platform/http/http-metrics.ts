import { Histogram, type Registry } from 'prom-client';

export interface HttpMetrics {
  /** `route` is the pattern of the route, never the path. */
  answered(
    request: { readonly route: string; readonly method: string },
    status: number,
    seconds: number,
  ): void;
}

export function createHttpMetrics(registry: Registry): HttpMetrics {
  const duration = new Histogram({
    name: 'lucarne_http_request_duration_seconds',
    help: 'Time to answer an HTTP request, by route, method and status.',
    labelNames: ['route', 'method', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers: [registry],
  });
  /** As many as there are time series. */
  const observers = new Map<string, ReturnType<typeof duration.labels>>();
  return {
    answered({ route, method }, status, seconds) {
      const key = `${status} ${method} ${route}`;
      const observer = observers.get(key) ?? duration.labels({ route, method, status });
      observers.set(key, observer);
      observer.observe(seconds);
    },
  };
}
