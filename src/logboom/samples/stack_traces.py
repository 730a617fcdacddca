"""Stack traces as Java and Python write them, by the name of the failure."""

JAVA = {
    "leak": """java.lang.Exception: Apparent connection leak detected
\tat com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:128)
\tat shop.payments.audit.RefundAudit.open(RefundAudit.java:57)
\tat shop.payments.audit.RefundAudit.record(RefundAudit.java:41)
\tat shop.payments.PaymentService.authorise(PaymentService.java:212)
\tat shop.payments.PaymentController.post(PaymentController.java:88)
\tat java.base/java.lang.Thread.run(Thread.java:1583)""",
    "pool": """java.sql.SQLTransientConnectionException: HikariPool-1 - Connection is not available
\tat com.zaxxer.hikari.pool.HikariPool.createTimeoutException(HikariPool.java:686)
\tat com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:179)
\tat com.zaxxer.hikari.HikariDataSource.getConnection(HikariDataSource.java:128)
\tat shop.payments.PaymentStore.begin(PaymentStore.java:63)
\tat shop.payments.PaymentService.authorise(PaymentService.java:197)
\tat shop.payments.PaymentController.post(PaymentController.java:88)
\tat java.base/java.lang.Thread.run(Thread.java:1583)""",
    "deadline": """shop.checkout.UpstreamException: payments did not answer
\tat shop.checkout.PaymentClient.authorise(PaymentClient.java:104)
\tat shop.checkout.OrderService.place(OrderService.java:151)
\tat shop.checkout.OrderController.post(OrderController.java:72)
\tat java.base/java.lang.Thread.run(Thread.java:1583)
Caused by: java.util.concurrent.TimeoutException: deadline exceeded
\tat java.base/java.util.concurrent.CompletableFuture.timedGet(CompletableFuture.java:1960)
\tat shop.checkout.PaymentClient.authorise(PaymentClient.java:98)
\t... 3 more""",
}

PYTHON = {
    "price": """Traceback (most recent call last):
  File "/app/catalog/views.py", line 88, in show_product
    return render(product, price=find_price(product, currency))
  File "/app/catalog/prices.py", line 31, in find_price
    return PRICES[product.id][currency]
KeyError: 'CHF'""",
    "mail": """Traceback (most recent call last):
  File "/app/worker/jobs.py", line 140, in run
    job.handler(**job.arguments)
  File "/app/worker/mail.py", line 52, in send_receipt
    smtp.sendmail(SENDER, [customer.email], message.as_bytes())
  File "/usr/lib/python3.12/smtplib.py", line 887, in sendmail
    raise SMTPRecipientsRefused(senderrs)
smtplib.SMTPRecipientsRefused: {'customer@example.invalid': (550, b'mailbox unavailable')}""",
}
