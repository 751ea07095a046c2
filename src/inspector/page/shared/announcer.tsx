/** A live region: a screen reader speaks the result of a key or an action, and of changes at the server. */
import { signal } from '@preact/signals'
import type { VNode } from 'preact'

const said = signal('')

/** Says a sentence. The same one again is said again. */
export function announce(sentence: string): void {
  said.value = said.peek() === sentence ? `${sentence}\u00A0` : sentence
}

export function Announcer(): VNode {
  return (
    <p class="unseen" role="status" aria-live="polite">
      {said.value}
    </p>
  )
}
