/** The parts of a browser that redirects need: it keeps cookies by host and port, and does not follow redirects by itself. */
export class Browser {
  private readonly jars = new Map<string, Map<string, string>>();

  async get(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const { host } = new URL(url);
    const jar = this.jars.get(host) ?? new Map<string, string>();
    this.jars.set(host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...(init.headers as Record<string, string>) },
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }

  /** Follows redirects until a URL for which `stop` is true. That URL is not requested. */
  async follow(url: string, stop: (url: URL) => boolean, most = 10): Promise<URL> {
    let current = new URL(url);
    for (let step = 0; step < most; step += 1) {
      if (stop(current)) return current;
      const answer = await this.get(current);
      const location = answer.headers.get('location');
      if (location === null)
        throw new Error(`${current.href} answers ${answer.status}: ${await answer.text()}`);
      current = new URL(location, current);
    }
    throw new Error('The browser is sent in circles.');
  }

  cookie(host: string, name: string): string | undefined {
    return this.jars.get(host)?.get(name);
  }

  setCookie(host: string, name: string, value: string): void {
    this.jars.set(host, (this.jars.get(host) ?? new Map<string, string>()).set(name, value));
  }
}
