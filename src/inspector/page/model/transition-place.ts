/** The place of a transition in its chart. */
export interface TransitionPlace {
  /** The path of the state that defines it; empty for the chart as a whole. */
  readonly source: string
  /** Its position among the transitions of that state, from 0. */
  readonly position: number
}

export function transitionKey({ source, position }: TransitionPlace): string {
  return `${source}#${position}`
}
