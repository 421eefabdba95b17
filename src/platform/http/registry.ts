import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * The metrics of one instance, with those of its process. Each room declares its own on it. Labels are closed lists:
 * no id, address or amount is ever a label.
 */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'lucarne_' });
  return registry;
}
