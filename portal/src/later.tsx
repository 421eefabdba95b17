import { CatchBoundary, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { createElement, Suspense, use, useEffect, type ComponentType, type ReactNode } from 'react';
import { Failure } from './design/states';
import { answers } from './graphql/connection';
import { errorOf, GatewayError } from './graphql/gateway-error';
import { gateway } from './graphql/request';

let shown = 0;

/** A boundary shows a failure: what failed to load is asked for again when the boundary shows its content the next time. */
export const failureShown = (): void => void (shown += 1);

/** A gateway that answers has other files since an upgrade, or the page has a fault. Otherwise there is no connection. */
async function causeOf(thrown: unknown): Promise<unknown> {
  if (await answers()) return thrown;
  gateway.dispatchEvent(new Event('offline'));
  return new GatewayError('OFFLINE', '');
}

type Later<Component> = Component & { readonly preload: () => Promise<void> };

/**
 * A component that is loaded when it is first needed, or when the router prepares its place. It throws what kept it from
 * loading to the boundary around it: that of its route, or a `Part`.
 */
export function later<Module, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
): Later<Module[Name]> {
  let component: Module[Name] | undefined;
  let failure: { readonly cause: unknown; readonly before: number } | undefined;
  let loading: Promise<void> | undefined;
  let awaited: Promise<void> | undefined;
  const preload = () =>
    (loading ??= load().then(
      (loaded) => {
        component = loaded[name];
      },
      async (thrown: unknown) => {
        failure = { cause: await causeOf(thrown), before: shown };
        loading = undefined;
      },
    ));
  const Loaded = (props: object) => {
    if (!component) {
      if (failure?.before === shown) throw failure.cause;
      awaited = preload();
    }
    // A suspended component requests it again when it renders again, as React expects.
    if (awaited) use(awaited);
    return component && createElement(component as ComponentType, props);
  };
  return Object.assign(Loaded, { preload }) as Later<Module[Name]>;
}

/** Between two attempts that nobody asked for: a file can be missing while everything else is answered. */
const BETWEEN_ATTEMPTS_MS = 10_000;
let attemptedAt = Number.NEGATIVE_INFINITY;

/** Replaces a part that did not load, or failed. It is tried again by itself when the gateway is back. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const problem = errorOf(error);
  const isAway = problem.code === 'OFFLINE';
  useEffect(() => {
    if (!isAway) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const back = () => {
      timer ??= setTimeout(
        () => {
          attemptedAt = performance.now();
          void router.invalidate().then(reset);
        },
        Math.max(0, attemptedAt + BETWEEN_ATTEMPTS_MS - performance.now()),
      );
    };
    gateway.addEventListener('back', back);
    return () => {
      gateway.removeEventListener('back', back);
      clearTimeout(timer);
    };
  }, [isAway, reset, router]);
  return <Failure error={problem} onAgain={() => void router.invalidate().then(reset)} />;
}

/** A part of a screen that can be missing or fail alone: an error is shown in its place, and the rest of the page stays. */
export const Part = ({
  children,
  fallback,
  isSilent = false,
}: {
  readonly children: ReactNode;
  readonly fallback?: ReactNode;
  /** Another part, from the same file, shows the error. */
  readonly isSilent?: boolean;
}) => (
  <CatchBoundary getResetKey={() => 0} errorComponent={isSilent ? () => null : Failed}>
    <Suspense fallback={fallback}>{children}</Suspense>
  </CatchBoundary>
);
