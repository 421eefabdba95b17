import { BlockList, isIP, isIPv6 } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

// RFC 1918, RFC 6598 (shared address space), RFC 3927 and RFC 4193, RFC 4291 (link-local).
const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('100.64.0.0', 10, 'ipv4');
PRIVATE.addSubnet('169.254.0.0', 16, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');
PRIVATE.addSubnet('fe80::', 10, 'ipv6');

// RFC 6762, RFC 8375, ICANN's reservation of 2024, and the services of a Kubernetes cluster.
const PRIVATE_NAMES = ['.local', '.home.arpa', '.internal', '.svc', '.cluster.local'];

/** A host of this machine, as `URL.hostname` writes it. */
export function isLoopback(hostname: string): boolean {
  const host = bare(hostname);
  return host === 'localhost' || host.endsWith('.localhost') || isIn(LOOPBACK, host);
}

/**
 * A host of this machine or of a private network, according to its address or to a name that does not exist on the public
 * network. A name without a dot, such as a service of Compose, can be resolved only in the private network.
 */
export function isPrivate(hostname: string): boolean {
  const host = bare(hostname);
  if (isLoopback(host) || isIn(PRIVATE, host)) return true;
  if (isIP(host) !== 0) return false;
  return !host.includes('.') || PRIVATE_NAMES.some((ending) => host.endsWith(ending));
}

const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();

const isIn = (list: BlockList, host: string) =>
  isIP(host) !== 0 && list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');

/** An address, or a range of addresses in CIDR notation. */
export function isAddressRange(range: string): boolean {
  const [address = '', bits, ...more] = range.split('/');
  if (isIP(address) === 0 || more.length > 0) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (isIPv6(address) ? 128 : 32));
}

const NAMES_OF_LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** The origins of pages that a browser loads from the gateway at this URL. On loopback, people may use any name of the machine. */
export function originsOf(url: URL): string[] {
  if (!NAMES_OF_LOOPBACK.includes(url.hostname)) return [url.origin];
  return NAMES_OF_LOOPBACK.map((hostname) => Object.assign(new URL(url), { hostname }).origin);
}

/**
 * The origin in links that people open, from the one that browsers see: `localhost` in place of a loopback address, for which
 * browsers create no passkeys.
 */
export const originForPeople = (origin: string): string => originsOf(new URL(origin))[0]!;
