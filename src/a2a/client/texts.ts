/** The texts in parts of another system. */
import type { Part } from '@a2a-js/sdk'

export function textsIn(parts: readonly Part[]): string[] {
  return parts.flatMap(({ content }) => (content?.$case === 'text' ? content.value : []))
}
