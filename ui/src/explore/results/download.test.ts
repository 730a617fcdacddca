import { expect, test } from 'vitest'
import { Watch, type Format, type Progress } from './download'

async function pass(
  format: Format,
  pieces: string[],
): Promise<{ watch: Watch; told: Progress[]; text: string }> {
  const told: Progress[] = []
  const watch = new Watch(format, (progress) => told.push(progress))
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
      controller.close()
    },
  })
  const text = await new Response(source.pipeThrough(watch.stream)).text()
  return { watch, told, text }
}

test('what goes by is counted and stays as it is', async () => {
  const { told, text } = await pass('csv', ['a,b\n1,', '2\n'])
  expect(text).toBe('a,b\n1,2\n')
  expect(told).toEqual([
    { bytes: 6, lines: 1 },
    { bytes: 8, lines: 2 },
  ])
})

test('bytes of Parquet are no lines', async () => {
  const { told } = await pass('parquet', ['PAR1\n\n'])
  expect(told).toEqual([{ bytes: 6, lines: 0 }])
})

test('an export that failed on the way is no complete one', async () => {
  const { watch } = await pass('ndjson', [
    '{"message":"x"}\n{"err',
    'or":{"code":"timeout","message":"too slow"}}\n',
  ])
  expect(() => watch.check()).toThrow('too slow')
})

test('an event that speaks of an error is one', async () => {
  const { watch } = await pass('ndjson', ['{"_time":"2026-01-01T00:00:00Z","error":{"message":"x"}}\n'])
  expect(() => watch.check()).not.toThrow()
})
