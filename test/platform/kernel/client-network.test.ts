import { describe, expect, it } from '@jest/globals';
import { fc } from '../../kit/properties.js';
import { clientNetwork } from '../../../src/platform/kernel/client-network.js';

describe('the rate-limit network of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4::/64'],
    ['::1', '0:0:0:0::/64'],
    // With the port, which some proxies add and which differs for each connection.
    ['192.0.2.7:50412', '192.0.2.7'],
    ['[2001:db8::1]:50412', '2001:db8:0:0::/64'],
    ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
    ['', ''],
    ['unix:', 'unix:'],
  ])('is one IPv4 address or an IPv6 /64: %s belongs to “%s”', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });

  it('is the same for two IPv6 addresses exactly if their first 64 bits are equal', () => {
    const group = fc.nat(0xffff).map((value) => value.toString(16));
    const halves = fc.array(group, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(halves, halves, halves, (network, one, other) => {
        fc.pre(!network.every((value) => value === '0'));
        const networkOf = (host: string[]) => clientNetwork([...network, ...host].join(':'));
        expect(networkOf(one)).toBe(networkOf(other));
        const next = [...network.slice(0, 3), network[3] === '0' ? '1' : '0'];
        expect(clientNetwork([...next, ...one].join(':'))).not.toBe(networkOf(one));
      }),
    );
  });

  it('exists for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV6(), fc.ipV4()), (text) => {
        expect(typeof clientNetwork(text)).toBe('string');
      }),
    );
  });
});
