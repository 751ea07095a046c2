/** A button. One that cannot be used stays focusable and says why. */
import type { ComponentChildren, VNode } from 'preact'
import { useId } from 'preact/hooks'

interface ButtonProps {
  readonly onClick: () => void
  readonly look?: 'main' | 'danger' | 'plain'
  readonly title?: string
  /** The reason why the action is not available. */
  readonly refusal?: string | undefined
  /** The key that does the same. */
  readonly shortcut?: string
  readonly children: ComponentChildren
}

export function Button({ onClick, look, title, refusal, shortcut, children }: ButtonProps): VNode {
  const id = useId()
  const isOff = refusal !== undefined
  return (
    <>
      <button
        type="button"
        class={`button ${look ?? ''}`}
        title={refusal ?? title}
        aria-disabled={isOff ? 'true' : undefined}
        aria-describedby={isOff ? id : undefined}
        aria-keyshortcuts={shortcut}
        onClick={isOff ? undefined : onClick}
      >
        {children}
      </button>
      {isOff && (
        <span id={id} hidden>
          {refusal}
        </span>
      )}
    </>
  )
}
