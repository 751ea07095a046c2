/**
 * What the first `import` of packages costs: a process of its own each time, measured inside, from before the import to
 * after it. Contestants alternate; the files are in the page cache.
 */
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sample } from '../support/measure.ts'

export interface ColdImport {
  readonly packages: readonly string[]
  /** One a process. */
  readonly samples: readonly Sample[]
}

/** Packages, and the folder that they are installed in. */
export interface ImportedFrom {
  readonly folder: string
  readonly packages: readonly string[]
}

export function coldImports(contestants: readonly ImportedFrom[], rounds: number): ColdImport[] {
  const probes = contestants.map(({ folder, packages }, index) => {
    const imports = join(folder, `imports-${index}.mjs`)
    const probe = join(folder, `probe-${index}.mjs`)
    writeFileSync(imports, packages.map((name) => `import '${name}'\n`).join(''))
    writeFileSync(probe, probeOf(`./imports-${index}.mjs`))
    return { packages, files: [imports, probe], probe, samples: [] as Sample[] }
  })
  for (let round = -2; round < rounds; round++) {
    for (const { probe, samples } of probes) {
      const sample = sampleOf(probe)
      if (round >= 0) samples.push(sample)
    }
  }
  for (const file of probes.flatMap(({ files }) => files)) rmSync(file)
  return probes
}

function probeOf(module: string): string {
  return `
    const cpuBefore = process.cpuUsage()
    const wallBefore = performance.now()
    await import('${module}')
    const wall = performance.now() - wallBefore
    const { user, system } = process.cpuUsage(cpuBefore)
    console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }))
  `
}

function sampleOf(probe: string): Sample {
  const { status, stdout, stderr } = spawnSync(process.execPath, [probe], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${probe} ended with ${status}:\n${stderr}`)
  return JSON.parse(stdout) as Sample
}
