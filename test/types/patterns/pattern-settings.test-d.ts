/** The settings of a pattern are caps of agents, each by the name of its option. */
import type { PatternSettings } from 'troupe'
import type { PatternCaps } from '../../../src/runtime/options/pattern-caps.ts'
import { expectType } from '../expect-type.ts'

export function same(name: keyof PatternSettings): void {
  expectType<keyof PatternCaps | 'maxSteps'>()(name)
}
