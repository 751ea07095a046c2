/** What the scripted model says. */
import type { Script } from '../support/scripted-server.ts'

const words: Readonly<Record<string, string>> = {
  tide: 'la marée',
  ebb: 'le reflux',
  flood: 'le flux',
  shore: 'le rivage',
}

export const script: Script = {
  'Translate the word': ({ task }) => words[task] ?? `« ${task} »`,
}
