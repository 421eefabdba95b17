/**
 * The WebSocket URL of each provider: the configured URL at the same position, otherwise the one that Solana's tools derive:
 * the same host at the next port, or without a port.
 */
export function webSocketUrls(rpcUrls: readonly string[], configured: readonly string[] = []): string[] {
  return rpcUrls.map((rpcUrl, at) => configured[at] ?? webSocketUrl(rpcUrl));
}

function webSocketUrl(rpcUrl: string): string {
  const url = new URL(rpcUrl);
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  return url.href;
}
