import { expect, test } from 'vitest'
import { foldStack } from './stack'

const PYTHON = `Traceback (most recent call last):
  File "/app/shop/views.py", line 42, in checkout
    order = place(cart)
            ^^^^^^^^^^^
  File "/usr/lib/python3.12/site-packages/django/db/transaction.py", line 198, in inner
    return func(*args, **kwds)
  File "<frozen importlib._bootstrap>", line 1, in _find
  File "/app/shop/orders.py", line 17, in place
    raise OutOfStock(sku)
shop.errors.OutOfStock: lamp-arc is sold out`

const JAVA = `java.lang.IllegalStateException: pool exhausted
\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:181)
\tat java.base/java.lang.Thread.run(Thread.java:1583)
\tat shop.orders.OrderRepository.save(OrderRepository.java:51)
Caused by: java.sql.SQLTimeoutException: no answer
\tat org.postgresql.jdbc.PgConnection.connect(PgConnection.java:12)
\tat shop.db.Pool.open(Pool.java:9)
\t... 12 more`

const NODE = `TypeError: Cannot read properties of undefined (reading 'id')
    at findCart (/srv/shop/cart.js:12:34)
    at Layer.handle (/srv/shop/node_modules/express/lib/router/layer.js:95:5)
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
    at async main (/srv/shop/index.js:3:1)`

const GO = `panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
runtime.gopanic({0x45e2a0?, 0xc0000a8000?})
\t/usr/local/go/src/runtime/panic.go:770 +0x132
main.find(...)
\t/srv/shop/find.go:12
net/http.HandlerFunc.ServeHTTP(0xc0, {0x1, 0x2})
\t/usr/local/go/src/net/http/server.go:2136 +0x29
github.com/gorilla/mux.(*Router).ServeHTTP(0xc0)
\t/home/build/go/pkg/mod/github.com/gorilla/mux@v1.8.0/mux.go:210 +0x1cf
main.main()
\t/srv/shop/main.go:8 +0x1d
exit status 2`

const DOTNET = `System.InvalidOperationException: no rows
   at System.Linq.Enumerable.First[T](IEnumerable\`1 source)
   at Microsoft.AspNetCore.Mvc.Run()
   at Shop.Orders.Find(Int32 id) in /src/Orders.cs:line 12`

const shape = (text: string) =>
  foldStack(text)?.map(({ isFolded, frames, lines }) => (isFolded ? `${frames} folded` : lines.length))

test.each([
  ['Python', PYTHON, [4, '2 folded', 3]],
  ['Java', JAVA, [1, '2 folded', 5]],
  ['Node', NODE, [2, '2 folded', 1]],
  ['Go', GO, [7, '2 folded', 3]],
  ['.NET', DOTNET, [1, '2 folded', 1]],
])('frames of libraries are folded in %s', (_language, text, expected) => {
  expect(shape(text)).toEqual(expected)
  const lines = foldStack(text)?.flatMap((section) => section.lines)
  expect(lines?.join('\n')).toBe(text)
})

test('a trace of nothing but libraries is shown whole', () => {
  expect(shape('Error\n    at a (node:fs:1:1)\n    at b (node:fs:2:1)')).toEqual([3])
})

test.each(['', 'one line', 'two\nlines', 'at home\nand away', 'x'.repeat(100_000), '(\n'.repeat(1_000)])(
  'what is no trace is left alone',
  (text) => {
    expect(foldStack(text)).toBeNull()
  },
)

test('is quick with lines that look like calls', () => {
  const line = `${'a.b('.repeat(500)}${')'.repeat(400)}`
  expect(foldStack(Array.from({ length: 500 }, () => line).join('\n'))).toBeNull()
})
