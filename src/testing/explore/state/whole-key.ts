/** The key of a machine's state: everything on which its next steps can depend. */
import type { AnyMachineSnapshot } from 'xstate'
import { ValueTexts } from '../../chart/value-text.ts'

/** `live`: the ids of the children that may still report. */
export function wholeKey(
  { value, status, context, historyValue }: AnyMachineSnapshot,
  live: readonly string[],
): string {
  const history = Object.entries(historyValue).map(([id, nodes]) => [id, nodes.map((node) => node.id)])
  return JSON.stringify([value, status, live, history]) + new ValueTexts().of(context)
}
