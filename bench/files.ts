/**
 * `npm run bench:files`: a run of 2 000 steps whose tool returns an image at each hundredth step. It reports the size of
 * the journal per step, in the first and in the last quarter (linear growth: the same), the bytes of images in it (none),
 * and the CPU of a step beside that of the same run without images.
 */
import { createAgent, createTool, createTroupe, file, memoryStore, type ChatModel } from 'troupe'
import { parseArgs } from 'node:util'
import { z } from 'zod'

const { values } = parseArgs({ options: { steps: { type: 'string', default: '2000' } } })
const steps = Number(values.steps)

/** Bytes of one image. */
const imageSize = 100_000
const usage = { inputTokens: 40, outputTokens: 10, totalTokens: 50 }

/** The images are all different: equal ones would be one blob. */
function imageOf(step: number): Uint8Array {
  return Uint8Array.from({ length: imageSize }, (_, index) => (index * 31 + step * 7 + (index >> 8)) & 255)
}

function model(seen: { files: number }): ChatModel {
  return {
    provider: 'bench',
    modelId: 'instant',
    async generate({ messages }) {
      const done = messages.filter(({ role }) => role === 'tool').length
      if (done < steps) {
        const toolCalls = [{ id: `c${done}`, name: 'look', args: { step: done } }]
        return { text: '', toolCalls, finishReason: 'tool-calls', usage }
      }
      seen.files = messages.filter(({ content }) => typeof content !== 'string').length
      return { text: 'Done.', toolCalls: [], finishReason: 'stop', usage }
    },
  }
}

async function measure(every: number) {
  const look = createTool({
    id: 'look',
    description: 'Looks.',
    inputSchema: z.object({ step: z.number() }),
    execute: ({ step }) => (step % every === 0 ? file(imageOf(step), 'image/png') : `step ${step}`),
  })
  const seen = { files: 0 }
  const agent = createAgent({
    id: 'eye',
    instructions: 'Look.',
    model: model(seen),
    tools: { look },
    maxSteps: steps + 1,
  })
  const troupe = createTroupe({ agents: [agent], store: memoryStore() })
  const before = process.cpuUsage()
  const run = await troupe.start(agent, 'Go')
  const { outcome } = await run.result
  const { user, system } = process.cpuUsage(before)
  if (outcome !== 'completed') throw new Error(`The run ended as ${outcome}.`)
  const sizes = (await troupe.journal(run.id)).map((entry) => JSON.stringify(entry).length)
  const journal = JSON.stringify(await troupe.journal(run.id))
  await troupe.close()
  return { cpu: (user + system) / steps, sizes, journal, files: seen.files }
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0)
}

/** Bytes of the journal in a quarter of it, per entry. */
function quarter(sizes: readonly number[], which: 0 | 3): number {
  const length = Math.floor(sizes.length / 4)
  return sum(sizes.slice(which * length, (which + 1) * length)) / length
}

await measure(Number.POSITIVE_INFINITY) // warms up
const without = await measure(Number.POSITIVE_INFINITY)
const withImages = await measure(100)
const firstImage = Buffer.from(imageOf(0)).toString('base64').slice(0, 60)

console.log(
  `steps                                    ${steps}, images ${withImages.files} of ${imageSize} bytes`,
)
console.log(`journal, kB                              ${(sum(withImages.sizes) / 1000).toFixed(0)}`)
console.log(`journal without images, kB               ${(sum(without.sizes) / 1000).toFixed(0)}`)
console.log(
  `bytes an entry, first and last quarter   ${quarter(withImages.sizes, 0).toFixed(0)}, ${quarter(withImages.sizes, 3).toFixed(0)}`,
)
console.log(
  `bytes of images in the journal           ${withImages.journal.includes(firstImage) ? 'some' : 'none'}`,
)
console.log(`CPU a step, times without images         ${(withImages.cpu / without.cpu).toFixed(2)}`)
