/** A field of text, whose problem appears or disappears under it when it is left. */
const FIELD = 'input[data-rac], textarea[data-rac]';

/**
 * A press leaves the field before it. If the field then showed or removed its problem at once, what is pressed would move
 * away from the pointer, and the click would be lost. So the field is checked after the click.
 */
export function keepClicks(): void {
  let isPressed = false;
  let left: Element | undefined;
  const pressed = () => {
    isPressed = true;
  };
  const released = () => {
    isPressed = false;
    // The click follows in the same task.
    setTimeout(() => {
      left?.dispatchEvent(new Event('change', { bubbles: true }));
      left = undefined;
    });
  };
  for (const type of ['pointerdown', 'mousedown']) document.addEventListener(type, pressed, true);
  for (const type of ['pointerup', 'pointercancel', 'mouseup'])
    document.addEventListener(type, released, true);
  document.addEventListener(
    'change',
    (event) => {
      if (!isPressed || !(event.target instanceof Element) || !event.target.matches(FIELD)) return;
      event.stopImmediatePropagation();
      left = event.target;
    },
    true,
  );
}
