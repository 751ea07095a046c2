/**
 * Two live regions: one for the screen reader alone, which speaks the result of a key, and one in sight, which says that an
 * action was taken.
 */
import { signal } from '@preact/signals'
import type { VNode } from 'preact'

const said = signal('')
const noticed = signal('')
let clearing: ReturnType<typeof setTimeout> | undefined

/** Speaks a sentence. The same one again is spoken again. */
export function announce(sentence: string): void {
  said.value = said.peek() === sentence ? `${sentence}\u00A0` : sentence
}

/** Shows a sentence for some seconds, and speaks it. */
export function notify(sentence: string): void {
  noticed.value = sentence
  clearTimeout(clearing)
  clearing = setTimeout(() => (noticed.value = ''), 6000)
}

export function Announcer(): VNode {
  return (
    <>
      <p class="unseen" role="status">
        {said.value}
      </p>
      <p class={noticed.value === '' ? 'unseen' : 'toast'} role="status">
        {noticed.value}
      </p>
    </>
  )
}
