import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';

/** The value for Fastify's `trustProxy`: the addresses that may set the client address. */
export type TrustProxy = boolean | string | ((address: string, hop: number) => boolean);

/**
 * The client address of a request that Fastify does not handle, by the rule of Fastify's `request.ip`: of the socket's
 * address and those in `X-Forwarded-For`, from the nearest to the farthest, the first that is not a trusted proxy.
 */
export function clientAddressReader(trustProxy: TrustProxy): (request: IncomingMessage) => string {
  const trusts = trustOf(trustProxy);
  return ({ socket, headers }) => {
    const header = headers['x-forwarded-for'];
    const forwarded = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').reverse();
    const addresses = [
      socket.remoteAddress ?? '',
      ...forwarded.map((address) => address.trim()).filter((address) => address !== ''),
    ];
    const untrusted = addresses.findIndex((address, hop) => !trusts(address, hop));
    return bounded(addresses.at(untrusted));
  };
}

/** The client address of a Fastify request. Call it immediately: a closed socket has no address. */
export function clientAddressOf({ ip }: FastifyRequest): string {
  return bounded(ip);
}

const MAX_ADDRESS_LENGTH = 64;

/** A trusted proxy may forward any text. */
const bounded = (address: string | undefined) => (address || 'unknown').slice(0, MAX_ADDRESS_LENGTH);

function trustOf(trustProxy: TrustProxy): (address: string, hop: number) => boolean {
  if (typeof trustProxy === 'boolean') return () => trustProxy;
  if (typeof trustProxy === 'function') return trustProxy;
  const ranges = new BlockList();
  for (const named of trustProxy.split(',')) {
    for (const range of NAMED_RANGES[named.trim()] ?? [named.trim()]) {
      const [address = '', bits] = range.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      ranges.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family);
    }
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && ranges.check(address, family === 6 ? 'ipv6' : 'ipv4');
  };
}

const NAMED_RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};
