/** Statements on the way of a run. A connection plans them once, under their names. */
import { digestText } from '../../kit/index.ts'

export interface Statement {
  readonly name: string
  readonly text: string
}

/** Its text names the schema, so stores that share a pool have statements of their own. */
export function statement(text: string): Statement {
  return { name: `troupe_${digestText(text)}`, text }
}
