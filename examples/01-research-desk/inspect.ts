/** The inspector of the research desk: a page that shows the run while it goes on, and stays for a person to go back in it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Inspector } from 'troupe/inspector'
import type { Terminal } from './terminal.ts'

export const inspectFlag = '--inspect'

/** The address of the page of one run. */
export async function pageOf(view: Inspector, runId: string): Promise<string> {
  const url = new URL(await view.url)
  url.pathname = `/runs/${encodeURIComponent(runId)}`
  return url.href
}

/** Opens a page in the browser of the person; `BROWSER` names another one. The address is printed too, so a failure is none. */
export function openPage(url: string): void {
  const [command, ...args] = opener()
  const browser = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  browser.once('error', () => undefined)
  browser.unref()
}

function opener(): readonly [string, ...string[]] {
  const { BROWSER } = process.env
  if (BROWSER !== undefined && BROWSER !== '') return [BROWSER]
  if (process.platform === 'darwin') return ['open']
  return process.platform === 'win32' ? ['explorer.exe'] : ['xdg-open']
}

/** Prints the address of the page, which stays until Ctrl-C where somebody waits. */
export async function stay(url: string, isInspected: boolean, terminal: Terminal): Promise<void> {
  terminal.print(`\nSee every decision of it on a page, and go back in it:\n${url}`)
  const isCi = Boolean(process.env['CI'])
  const isAttended = process.stdin.isTTY && process.stdout.isTTY
  if (isCi || (!isAttended && !isInspected)) {
    terminal.print(
      `Nobody waits here, so the page ends with this program: npm start -- ${inspectFlag} keeps it.`,
    )
    return
  }
  terminal.print('Ctrl-C ends.')
  await once(process, 'SIGINT')
}
