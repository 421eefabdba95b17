// Inputs and outputs of Ethereum's pairing precompile (github.com/ethereum/tests,
// src/GeneralStateTestsFiller/stZeroKnowledge/ecpairing_*, MIT): pairs of a point of G1 and one of G2, in the format of
// EIP-197.

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

interface PairingVector {
  readonly name: string;
  readonly pairs: readonly Uint8Array[];
  /** Whether the product of the pairings is one. */
  readonly isOne: boolean;
}

export const PAIRINGS: readonly PairingVector[] = [
  {
    name: 'two_point_match_2',
    isOne: true,
    pairs: [
      hex(
        '000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000' +
          '00000000000000000000000000000002198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2' +
          '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395' +
          'bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
      ),
      hex(
        '000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000' +
          '00000000000000000000000000000002198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2' +
          '1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed275dc4a288d1afb3cbb1ac09187524c7' +
          'db36395df7be3b99e673b13a075a65ec1d9befcd05a5323e6da4d435f3b617cdb3af83285c2df711ef39c01571827f9d',
      ),
    ],
  },
  {
    name: 'two_point_match_4',
    isOne: true,
    pairs: [
      hex(
        '105456a333e6d636854f987ea7bb713dfd0ae8371a72aea313ae0c32c0bf10160cf031d41b41557f3e7e3ba0c51bebe5' +
          'da8e6ecd855ec50fc87efcdeac168bcc0476be093a6d2b4bbf907172049874af11e1b6267606e00804d3ff0037ec57fd' +
          '3010c68cb50161b7d1d96bb71edfec9880171954e56871abf3d93cc94d745fa114c059d74e5b6c4ec14ae5864ebe23a7' +
          '1781d86c29fb8fb6cce94f70d3de7a2101b33461f39d9e887dbb100f170a2345dde3c07e256d1dfa2b657ba5cd030427',
      ),
      hex(
        '000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000' +
          '000000000000000000000000000000021a2c3013d2ea92e13c800cde68ef56a294b883f6ac35d25f587c09b1b3c635f7' +
          '290158a80cd3d66530f74dc94c94adb88f5cdb481acca997b6e60071f08a115f2f997f3dbd66a7afe07fe7862ce239ed' +
          'ba9e05c5afff7f8a1259c9733b2dfbb929d1691530ca701b4a106054688728c9972c8512e9789e9567aae23e302ccd75',
      ),
    ],
  },
  {
    name: 'two_point_fail_2',
    isOne: false,
    pairs: [
      hex(
        '105456a333e6d636854f987ea7bb713dfd0ae8371a72aea313ae0c32c0bf10160cf031d41b41557f3e7e3ba0c51bebe5' +
          'da8e6ecd855ec50fc87efcdeac168bcc0476be093a6d2b4bbf907172049874af11e1b6267606e00804d3ff0037ec57fd' +
          '3010c68cb50161b7d1d96bb71edfec9880171954e56871abf3d93cc94d745fa114c059d74e5b6c4ec14ae5864ebe23a7' +
          '1781d86c29fb8fb6cce94f70d3de7a2101b33461f39d9e887dbb100f170a2345dde3c07e256d1dfa2b657ba5cd030427',
      ),
      hex(
        '000000000000000000000000000000000000000000000000000000000000000100000000000000000000000000000000' +
          '00000000000000000000000000000002105384b6dd6c48634b9fe89cb3e19667c1fe6736c69df070d674c95a42b3b824' +
          '2c0d8e67f0f2c14c43734b430d8be4265af8c4f7a67deb0b029fd2dff99cc6b9015eaec465d922580c7de5d4a5c26de7' +
          '5eaf2af6841b7412ef2eebd1e051076f1b4c21849e48de12d1bae2bad3299717aa8664ade430e19dec72a6e10a39b0ab',
      ),
    ],
  },
];

/** `perturb_g2_by_curve_order`: a point of G2 with a coordinate past the modulus, which the precompile refuses. */
export const PERTURBED_G2: Uint8Array = hex(
  '198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c248652d61f350be9ffaba461cdfdd9cd6' +
    '8f770b1d71184b6e8ac0b2f0c992f6ee090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b' +
    '12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa',
);
