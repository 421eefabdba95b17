import type { Page, WebSocketRoute } from 'playwright-core';

interface Sent {
  readonly id: string;
  readonly socket: WebSocketRoute;
  readonly server: WebSocketRoute;
}

/** What the page sends over its sockets, which a story can hold back, and the subscriptions that it can end. */
export async function overSockets(page: Page) {
  const held: (() => void)[] = [];
  const begun = new Map<string, Sent[]>();
  let isHeld = false;
  let isAway = false;
  const asked: string[] = [];
  const told = new Set<string>();
  const open = new Set<WebSocketRoute>();
  await page.routeWebSocket('**/graphql', (socket) => {
    if (isAway) return void socket.close({ code: 1012, reason: 'Service restart' });
    open.add(socket);
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const { payload } = JSON.parse(String(message)) as { payload?: { data?: object } };
      for (const field of Object.keys(payload?.data ?? {})) told.add(field);
      socket.send(message);
    });
    socket.onMessage((message) => {
      const { id, payload } = JSON.parse(String(message)) as { id: string; payload?: { query?: string } };
      const [, name] = /subscription (\w+)/.exec(payload?.query ?? '') ?? [];
      if (name !== undefined) {
        asked.push(name);
        begun.set(name, [...(begun.get(name) ?? []), { id, socket, server }]);
      }
      if (isHeld) held.push(() => server.send(message));
      else server.send(message);
    });
  });
  const isAsked = async (name: string, times = 1) => {
    while (asked.filter((one) => one === name).length < times) await page.waitForTimeout(20);
  };
  return {
    isAsked,
    /** Whether an event of this field of `Subscription` reached the page. */
    isTold: (field: string) => told.has(field),
    /** How many subscriptions of this name were sent. */
    count: (name: string) => asked.filter((one) => one === name).length,
    hold: () => (isHeld = true),
    /** Closes the sockets, and lets the page open none meanwhile. */
    async away(meanwhile: () => Promise<void>) {
      isAway = true;
      for (const socket of open) await socket.close({ code: 1012, reason: 'Service restart' });
      open.clear();
      await meanwhile();
      isAway = false;
    },
    release() {
      isHeld = false;
      for (const send of held.splice(0)) send();
    },
    /** Ends each subscription of this name, as the gateway does. */
    end(name: string, code: string) {
      for (const { id, socket, server } of begun.get(name) ?? []) {
        server.send(JSON.stringify({ id, type: 'complete' }));
        const payload = [{ message: 'It ended.', extensions: { code } }];
        socket.send(JSON.stringify({ id, type: 'error', payload }));
      }
      begun.delete(name);
    },
  };
}
