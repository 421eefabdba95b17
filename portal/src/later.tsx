import { CatchBoundary, useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { createElement, Suspense, use, type ComponentType, type ReactNode } from 'react';
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

/** Replaces a part that did not load, or failed. */
export function Failed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return <Failure error={errorOf(error)} onAgain={() => void router.invalidate().then(reset)} />;
}

/** A part of a screen that can be missing or fail alone: an error is shown in its place, and the rest of the page stays. */
export const Part = ({
  children,
  fallback,
}: {
  readonly children: ReactNode;
  readonly fallback?: ReactNode;
}) => (
  <CatchBoundary getResetKey={() => 0} errorComponent={Failed}>
    <Suspense fallback={fallback}>{children}</Suspense>
  </CatchBoundary>
);
