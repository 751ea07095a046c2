/** The end of a program that serves an app. */
import { once } from 'node:events'

/**
 * Resolves when the app is to end: on Ctrl-C where it is `served` to others, on Enter in a terminal, and elsewhere, as in
 * CI, after its tour.
 */
export async function untilEnd(served: boolean, tour: () => Promise<void>): Promise<void> {
  if (served) {
    console.log('Ctrl-C ends.')
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  } else if (process.stdin.isTTY && process.stdout.isTTY && !process.env['CI']) {
    console.log('Press Enter to end.')
    await once(process.stdin, 'data')
    process.stdin.pause()
  } else {
    await tour()
  }
}
