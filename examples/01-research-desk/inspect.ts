/** The end of the research desk: the run is there to be looked at in the inspector. */
import { once } from 'node:events'
import type { Troupe } from 'troupe'
import { inspector } from 'troupe/inspector'
import type { Terminal } from './terminal.ts'

export const inspectFlag = '--inspect'

/** Serves the page until Ctrl-C. */
export async function inspect(troupe: Troupe, terminal: Terminal): Promise<void> {
  await using view = inspector(troupe, { title: 'Research desk' })
  terminal.print(`\nInspector: ${await view.url}\nCtrl-C ends.`)
  await once(process, 'SIGINT')
}

/** Says how to look at it. */
export function offerInspector(terminal: Terminal): void {
  terminal.print(`\nSee every decision of it on a page: npm start -- ${inspectFlag}`)
}
