/** A server whose troupe drains refuses new runs for now, and says so to orchestrators; what is read goes on. */
import { createTroupe } from 'troupe'
import { createHandler, type WireName } from 'troupe/http'
import { expect, test } from 'vitest'
import { worker } from '../support/agents/agents.ts'

const url = 'http://server/api'
const options = { authorize: () => ({ resource: 'ann' }), base: '/api' }

test('a start is refused with 503 and retry-after, and nobody is alarmed', async () => {
  const { agent } = worker('clerk', ['Hello.'])
  const troupe = createTroupe({ agents: [agent] })
  const problems: unknown[] = []
  const handler = createHandler(troupe, {
    ...options,
    agents: [agent],
    onError: (problem) => problems.push(problem),
  })
  const start = (): Promise<Response> =>
    handler(
      new Request(`${url}/agents/clerk/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'Go' }),
      }),
    )
  const { runId } = (await (await start()).json()) as { runId: string }
  await (await handler(new Request(`${url}/runs/${runId}/events`))).text()
  await troupe.drain()
  const refused = await start()
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: { code: 'TROUPE_DRAINING' } })
  expect(problems).toEqual([])
  expect((await handler(new Request(`${url}/runs/${runId}`))).status).toBe(200)
  await troupe.close()
})

test.each<WireName>(['troupe', 'ai-sdk', 'ag-ui'])(
  'the wire %s tells orchestrators of the phase, and asks nobody',
  async (wire) => {
    const { agent } = worker('clerk', ['Hello.'])
    const troupe = createTroupe({ agents: [agent] })
    const authorize = (): never => expect.fail('nobody is asked')
    const handler = createHandler(troupe, { ...options, authorize, agents: [agent], wire })
    const asked = async (path: string): Promise<readonly [number, unknown]> => {
      const response = await handler(new Request(`${url}/health/${path}`))
      return [response.status, await response.json()]
    }
    const live = [200, { status: 'live' }]
    expect([await asked('live'), await asked('ready')]).toEqual([live, [200, { status: 'open' }]])
    await troupe.drain()
    expect([await asked('live'), await asked('ready')]).toEqual([live, [503, { status: 'draining' }]])
    await troupe.close()
    expect([await asked('live'), await asked('ready')]).toEqual([live, [503, { status: 'closed' }]])
  },
)
