/** How the contestants of one field compare: medians, and medians of the ratios within each round. */
import type { Measurement, Sample } from '../support/measure.ts'
import { median, quantile } from '../support/statistics.ts'

export interface Comparison {
  readonly name: string
  /** Milliseconds from the start of a run, or of all concurrent runs, to the end. */
  readonly wall: number
  /** Microseconds of CPU a model call. */
  readonly cpu: number
  readonly cpuQuartiles: readonly [number, number]
  /** Of CPU and of wall-clock time, to the loop and to the XState machine. */
  readonly toLoop: Ratios
  readonly toMachine: Ratios
}

export interface Ratios {
  readonly cpu: number
  readonly wall: number
}

export function comparisonOf(measurements: readonly Measurement[], concurrent: boolean): Comparison[] {
  const [loop, machine] = measurements
  if (loop === undefined || machine === undefined) throw new Error('A field has a loop and a machine.')
  return measurements.map((measurement) => {
    const { name, samples, runsPerRound } = measurement
    const perCall = samples.map(({ cpu }) => (cpu * 1000) / measurement.modelCallsPerRound)
    return {
      name,
      wall: median(samples.map(({ wall }) => wall)) / (concurrent ? 1 : runsPerRound),
      cpu: median(perCall),
      cpuQuartiles: [quantile(perCall, 0.25), quantile(perCall, 0.75)],
      toLoop: ratiosOf(measurement, loop),
      toMachine: ratiosOf(measurement, machine),
    }
  })
}

/** Per model call; of a round to the same round of the other, so that both had the same minute of the machine. */
export function ratiosOf(one: Measurement, other: Measurement): Ratios {
  const ratio = (of: (sample: Sample) => number): number => {
    const perRound = one.samples.map((sample, round) => {
      const compared = other.samples[round]
      if (compared === undefined) throw new Error('Both have as many rounds.')
      return of(sample) / one.modelCallsPerRound / (of(compared) / other.modelCallsPerRound)
    })
    return median(perRound)
  }
  return { cpu: ratio(({ cpu }) => cpu), wall: ratio(({ wall }) => wall) }
}

export interface Growth {
  readonly name: string
  /** Microseconds of CPU a model call, and their ratio to the smaller one. */
  readonly cpu: number
  readonly toSmaller: number
}

/** What a model call costs in a small job and in a large one. */
export function growthOf(small: Measurement, large: Measurement): Growth[] {
  return [small, large].map((measurement) => ({
    name: measurement.name,
    cpu: median(measurement.samples.map(({ cpu }) => (cpu * 1000) / measurement.modelCallsPerRound)),
    toSmaller: ratiosOf(measurement, small).cpu,
  }))
}
