// Only types that Node strips, and no imports, because processes of tests load it as source.
export const CREDENTIAL = 'Bearer hush-of-google';

/** The options that make Google's client use a local server instead of its endpoint and the environment's credentials. */
export function localGcpClient(port: number, token: () => Promise<void> = () => Promise.resolve()): object {
  const auth = {
    universeDomain: 'googleapis.com',
    async getRequestHeaders() {
      await token();
      return new Headers({ authorization: CREDENTIAL });
    },
    fetch: async (url: string, options?: RequestInit) => {
      await token();
      return fetch(url, {
        ...options,
        headers: { ...Object.fromEntries(new Headers(options?.headers)), authorization: CREDENTIAL },
      });
    },
    getUniverseDomain: () => Promise.resolve('googleapis.com'),
    getClient: () => Promise.resolve(auth),
  };
  return { protocol: 'http', apiEndpoint: '127.0.0.1', port, auth };
}
