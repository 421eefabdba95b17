import { isIPv6 } from 'node:net';

/**
 * The key for counting requests of a client address. An IPv4 address is its own key. An IPv6 address counts by its first 64
 * bits, because a client controls a whole network of that size (RFC 6177). A port is ignored. Any other text is its own key.
 */
export function clientNetwork(address: string): string {
  const bare = WITH_PORT.exec(address)?.slice(1).find(Boolean) ?? address;
  const [plain = ''] = bare.split('%', 1);
  if (!isIPv6(plain)) return bare;
  // The URL parser normalizes the address (RFC 5952) and writes all of it in hexadecimal.
  const [head = '', tail] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  const mapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return mapped ? groups.slice(6).flatMap(octets).join('.') : `${groups.slice(0, 4).join(':')}::/64`;
}

/** Some proxies also forward the port. It differs for each connection, so a limit that included it would have no effect. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/;

const octets = (group: string) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255];
