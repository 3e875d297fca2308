/** A browser as far as redirects and cookies go. As in a real one, ports do not separate cookies. */
export class WebWalk {
  readonly #cookies = new Map<string, string>();

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** Forgets the cookies whose names begin so. */
  forget(start: string): void {
    for (const name of this.#cookies.keys()) if (name.startsWith(start)) this.#cookies.delete(name);
  }

  /** Asks one address; follows nothing. */
  async ask(url: string, init: RequestInit = {}): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), cookie: this.cookie };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  /** Follows redirects until the next address begins with `stop`, and returns that address without asking it. */
  async follow(url: string, stop: string): Promise<URL> {
    let next = new URL(url);
    while (!next.href.startsWith(stop)) {
      const response = await this.ask(next.href);
      const location = response.headers.get('location');
      if (location === null) throw new Error(`${next.href} answered ${response.status}: ${await response.text()}`);
      next = new URL(location, next);
    }
    return next;
  }
}
