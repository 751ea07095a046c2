/** The runs of the examples in this process: of each example whose agents need no other process. */
import type { Example } from './example.ts'
import { firstExamples } from './first.ts'
import { heldExamples } from './held.ts'
import { patternExamples } from './patterns.ts'
import { subpathExamples } from './subpaths.ts'

export const examples: readonly Example[] = [
  ...firstExamples,
  ...patternExamples,
  ...heldExamples,
  ...subpathExamples,
]
