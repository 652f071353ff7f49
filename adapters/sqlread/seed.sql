begin;
create table customers (id integer primary key, name text not null, city text not null);
create table orders (
  id integer primary key,
  customer_id integer not null references customers(id),
  item text not null,
  total integer not null,
  ordered_on text not null
);
insert into customers (id, name, city) values
  (1, 'Ada', 'London'), (2, 'Grace', 'New York'), (3, 'Edsger', 'Rotterdam'), (4, 'Barbara', 'Boston');
insert into orders (id, customer_id, item, total, ordered_on) values
  (1, 1, 'desk', 400, '2026-01-05'), (2, 2, 'lamp', 60, '2026-01-09'), (3, 2, 'chair', 240, '2026-02-02'),
  (4, 3, 'shelf', 180, '2026-02-14'), (5, 4, 'monitor', 300, '2026-03-01'), (6, 1, 'mouse', 20, '2026-03-03');
commit;
