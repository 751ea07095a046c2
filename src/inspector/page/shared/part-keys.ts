/** The keys that work while a part of the page has the focus. The page of keys lists them with those of the view. */

export interface PartKey<Part> {
  /** As `KeyboardEvent.key`. */
  readonly key: string
  readonly label: string
  readonly run: (part: Part) => void
}

/** Does what a key of the part does; any other key is left to the page. */
export function press<Part>(keys: readonly PartKey<Part>[], event: KeyboardEvent, part: Part): void {
  const pressed = keys.find(({ key }) => key === event.key)
  if (pressed === undefined) return
  event.preventDefault()
  event.stopPropagation()
  pressed.run(part)
}
