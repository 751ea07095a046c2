/** A page of the inspector, as far as its server is concerned: it lists runs twice a second, and follows the newest. */
import { setTimeout } from 'node:timers/promises'

const { origin, hash } = new URL(process.argv[2] ?? '')
const headers = { authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('t')}` }

const ask = (path: string): Promise<Response> => fetch(`${origin}/api/${path}`, { headers })

/** Reads the stream of a run to its end. */
async function follow(runId: string): Promise<void> {
  const { body } = await ask(`runs/${encodeURIComponent(runId)}/stream`)
  for await (const _ of body ?? []);
}

let following: Promise<void> | undefined
for (;;) {
  const { items } = (await (await ask('runs?limit=50')).json()) as {
    readonly items: readonly { runId: string }[]
  }
  const [newest] = items
  if (newest !== undefined)
    following ??= follow(newest.runId).finally(() => {
      following = undefined
    })
  process.stdout.write('.')
  await setTimeout(500)
}
